// The Arrow C data and stream interfaces, https://arrow.apache.org/docs/format/CDataInterface.html. The specification
// fixes the layouts, so that any library can fill them in without sharing code with us.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" {
struct ArrowSchema {
    const char* format;
    const char* name;
    const char* metadata;
    std::int64_t flags;
    std::int64_t n_children;
    ArrowSchema** children;
    ArrowSchema* dictionary;
    void (*release)(ArrowSchema*);
    void* private_data;
};

struct ArrowArray {
    std::int64_t length;
    std::int64_t null_count;
    std::int64_t offset;
    std::int64_t n_buffers;
    std::int64_t n_children;
    const void** buffers;
    ArrowArray** children;
    ArrowArray* dictionary;
    void (*release)(ArrowArray*);
    void* private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(ArrowArrayStream*, ArrowSchema*);
    int (*get_next)(ArrowArrayStream*, ArrowArray*);
    const char* (*get_last_error)(ArrowArrayStream*);
    void (*release)(ArrowArrayStream*);
    void* private_data;
};
}

namespace calipers {

// A structure of the interface; released when it goes, also on an error.
template <class S>
class Owned {
public:
    Owned() : value{} {}
    // Moved out of a capsule, whose structure is marked as released: the rule of the specification.
    Owned(nanobind::handle capsule, const char* name) : value{} {
        auto* source = static_cast<S*>(PyCapsule_GetPointer(capsule.ptr(), name));
        if (!source) throw nanobind::python_error();
        if (!source->release) throw std::runtime_error("the Arrow data was read before");
        value = *source;
        source->release = nullptr;
    }
    Owned(Owned&& other) noexcept : value(other.value) { other.value.release = nullptr; }
    Owned& operator=(Owned&&) = delete;
    ~Owned() {
        if (value.release) value.release(&value);
    }
    S value;
};

// Everything that a stream held. Numbers handed out without a copy keep it alive.
struct ArrowChunks {
    Owned<ArrowSchema> schema;
    std::vector<Owned<ArrowArray>> arrays;
};

inline ArrowChunks drain(Owned<ArrowArrayStream>& stream) {
    const auto check = [&](int status) {
        if (status == 0) return;
        const char* text = stream.value.get_last_error ? stream.value.get_last_error(&stream.value) : nullptr;
        throw std::runtime_error(std::string("the Arrow stream failed: ") + (text ? text : "no reason given"));
    };
    // A producer that needs the GIL takes it; holding it here could block the threads of a query for ever.
    nanobind::gil_scoped_release free;
    ArrowChunks chunks;
    check(stream.value.get_schema(&stream.value, &chunks.schema.value));
    for (;;) {
        Owned<ArrowArray> next;
        check(stream.value.get_next(&stream.value, &next.value));
        if (!next.value.release) return chunks;
        chunks.arrays.push_back(std::move(next));
    }
}

}  // namespace calipers
