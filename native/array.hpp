// NumPy arrays in and out through the buffer protocol. A DLPack round trip costs a microsecond an array, which is the
// whole budget of a call on a hundred rows, and it cannot carry object arrays. Nothing is ever copied to fit: an array
// of the wrong kind is a TypeError.
#pragma once

#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <type_traits>

namespace calipers {

namespace nb = nanobind;

// NumPy gives buffers without alignment guarantees; a fixed-size memcpy compiles to one load.
template <class T>
T load(const char* at) {
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

// Whether rows of T that lie `stride` bytes apart may be read through a T*.
template <class T>
bool aligned(const char* data, std::ptrdiff_t stride) {
    return reinterpret_cast<std::uintptr_t>(data) % alignof(T) == 0 && stride % std::ptrdiff_t{alignof(T)} == 0;
}

// Rows next to each other: the stride is known to the compiler, so that loops over it can be vectorised.
template <class T>
struct Dense {
    const char* data;
    T operator[](std::size_t i) const { return load<T>(data + i * sizeof(T)); }
};

template <class T>
struct Strided {
    const char* data;
    std::ptrdiff_t stride;
    T operator[](std::size_t i) const { return load<T>(data + static_cast<std::ptrdiff_t>(i) * stride); }
};

// The name of an object's type without its module, by the stable ABI.
inline std::string type_name(PyObject* value) {
    const nb::object name = nb::steal(PyType_GetName(Py_TYPE(value)));
    const char* const text = name.is_valid() ? PyUnicode_AsUTF8AndSize(name.ptr(), nullptr) : nullptr;
    if (text == nullptr) throw nb::python_error();
    return text;
}

// What a buffer holds, read through its strides; kind is NumPy's: b i u f O. Messages begin with the name.
class View {
public:
    explicit View(nb::handle source, const char* name, int ndim = 1) : name(name) {
        if (!PyObject_CheckBuffer(source.ptr()))
            fail((" must be an array, not " + type_name(source.ptr())).c_str());
        if (PyObject_GetBuffer(source.ptr(), &buffer_, PyBUF_FORMAT | PyBUF_STRIDES) != 0) throw nb::python_error();
        const char* format = buffer_.format ? buffer_.format : "B";
        const bool swapped = *format == '>' || *format == '!';
        if (*format && std::strchr("@=<>!^", *format)) ++format;
        kind = *format == '?'                   ? 'b'
               : std::strchr("bhilqn", *format) ? 'i'
               : std::strchr("BHILQN", *format) ? 'u'
               : std::strchr("efdg", *format)   ? 'f'
                                                : *format;
        if (buffer_.ndim != ndim || swapped) {
            PyBuffer_Release(&buffer_);
            fail(ndim == 1 ? " must have one dimension and native byte order"
                           : " must have two dimensions and native byte order");
        }
        data = static_cast<const char*>(buffer_.buf);
        n = static_cast<std::size_t>(buffer_.shape[0]);
        stride = buffer_.strides[0];
        size = static_cast<std::size_t>(buffer_.itemsize);
        columns = ndim == 2 ? static_cast<std::size_t>(buffer_.shape[1]) : 1;
        across = ndim == 2 ? buffer_.strides[1] : buffer_.itemsize;
    }
    ~View() { PyBuffer_Release(&buffer_); }
    View(const View&) = delete;
    View& operator=(const View&) = delete;

    [[noreturn]] void fail(const char* what) const { throw nb::type_error((name + std::string(what)).c_str()); }

    template <class T>
    bool holds() const {
        return kind == (std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u') && size == sizeof(T);
    }

    // Rows next to each other, for kernels that take a pointer.
    template <class T>
    const T* dense() const {
        const bool whole = n < 2 || stride == static_cast<std::ptrdiff_t>(sizeof(T));
        if (n > 0 && !(whole && aligned<T>(data, 0))) fail(" must be contiguous and aligned");
        return reinterpret_cast<const T*>(data);
    }

    // Calls f with a Dense or a Strided of T.
    template <class T, class F>
    decltype(auto) rows(F&& f) const {
        if (stride == static_cast<std::ptrdiff_t>(sizeof(T))) return f(Dense<T>{data});
        return f(Strided<T>{data, stride});
    }

    // Calls f with a zero of the type: float32 or float64.
    template <class F>
    decltype(auto) floats(F&& f) const {
        if (holds<double>()) return f(double{});
        if (holds<float>()) return f(float{});
        fail(" must be float32 or float64");
    }

    const char* name;
    const char* data;
    std::size_t n, size, columns;
    std::ptrdiff_t stride, across;
    char kind;

private:
    Py_buffer buffer_;
};

// Rows of T; kernels that work on pointers take them a chunk at a time.
template <class T>
struct Column {
    const char* data;
    std::ptrdiff_t stride;
    std::size_t n;
    bool in_place;

    explicit Column(const View& view)
        : data(view.data),
          stride(view.stride),
          n(view.n),
          in_place(stride == static_cast<std::ptrdiff_t>(sizeof(T)) && aligned<T>(data, stride)) {}

    T operator[](std::size_t r) const { return load<T>(data + static_cast<std::ptrdiff_t>(r) * stride); }

    // Rows [begin, begin + count) side by side: in place where they are, else gathered into `spare`.
    const T* rows(std::size_t begin, std::size_t count, T* spare) const {
        const char* from = data + static_cast<std::ptrdiff_t>(begin) * stride;
        if (in_place) return reinterpret_cast<const T*>(from);
        for (std::size_t k = 0; k < count; ++k) spare[k] = load<T>(from + static_cast<std::ptrdiff_t>(k) * stride);
        return spare;
    }
};

// Codes of any width: uint8, uint16 or uint32. They are widened a chunk at a time, which costs next to nothing and
// spares each kernel two more versions of itself.
struct Codes {
    explicit Codes(const View& view) : view(view) {
        if (view.kind != 'u' || (view.size != 1 && view.size != 2 && view.size != 4))
            view.fail(" must be uint8, uint16 or uint32");
    }

    // Calls f with a zero of the codes' own type.
    template <class F>
    decltype(auto) width(F&& f) const {
        if (view.size == 1) return f(std::uint8_t{});
        if (view.size == 2) return f(std::uint16_t{});
        return f(std::uint32_t{});
    }

    // Calls f with a Dense or a Strided of that type.
    template <class F>
    decltype(auto) rows(F&& f) const {
        return width([&](auto zero) { return view.rows<decltype(zero)>(f); });
    }

    void read(std::size_t begin, std::size_t count, std::uint32_t* out) const {
        rows([&](auto at) {
            for (std::size_t i = 0; i < count; ++i) out[i] = at[begin + i];
        });
    }

    const View& view;
};

// Weights are optional: float64, one per row, contiguous.
class Weights {
public:
    Weights(nb::handle source, const char* name, std::size_t n) {
        if (source.is_none()) return;
        view_.emplace(source, name);
        if (!view_->holds<double>() || view_->n != n) view_->fail(" must be float64, one a row");
        data = view_->dense<double>();
    }

    const double* data = nullptr;

private:
    std::optional<View> view_;
};

// Held for the life of the process, as NumPy itself is. Set once, by init_arrays, and never again: the only globals
// that kernels have. A function's static would be set under a lock of its own, and whoever waits for that lock with the
// GIL in hand, while its owner waits for the GIL, waits for ever.
inline PyObject* numpy_empty = nullptr;
template <class T>
inline PyObject* numpy_dtype = nullptr;

template <class T>
nb::handle dtype() {
    return numpy_dtype<T>;
}

template <class T>
void init_dtype(nb::handle numpy) {
    const std::string kind = std::is_floating_point_v<T> ? "f" : std::is_signed_v<T> ? "i" : "u";
    const std::string name = std::is_same_v<T, bool> ? "?" : kind + std::to_string(sizeof(T));
    numpy_dtype<T> = numpy.attr("dtype")(name.c_str()).release().ptr();
}

// Before anything else in the module.
inline void init_arrays() {
    const nb::module_ numpy = nb::module_::import_("numpy");
    numpy_empty = nb::object(numpy.attr("empty")).release().ptr();
    init_dtype<bool>(numpy), init_dtype<std::int64_t>(numpy), init_dtype<float>(numpy), init_dtype<double>(numpy);
    init_dtype<std::uint8_t>(numpy), init_dtype<std::uint16_t>(numpy), init_dtype<std::uint32_t>(numpy);
}

// A new NumPy array, not initialised; from NumPy's own allocator, which asks for huge pages.
class Fresh {
public:
    Fresh(nb::handle dtype, nb::object shape) {
        PyObject* arguments[] = {shape.ptr(), dtype.ptr()};
        array = nb::steal(PyObject_Vectorcall(numpy_empty, arguments, 2, nullptr));
        if (!array) throw nb::python_error();
        Py_buffer buffer;
        if (PyObject_GetBuffer(array.ptr(), &buffer, PyBUF_WRITABLE | PyBUF_STRIDES) != 0) throw nb::python_error();
        data = static_cast<char*>(buffer.buf);
        PyBuffer_Release(&buffer);  // the array itself keeps the memory
    }
    Fresh(nb::handle dtype, std::size_t n) : Fresh(dtype, nb::int_(n)) {}

    template <class T>
    T* as() const {
        return reinterpret_cast<T*>(data);
    }

    nb::object array;
    char* data;
};

// Calls f with a zero of the narrowest code type whose largest value no class needs: that one means missing.
template <class F>
decltype(auto) narrowest(std::size_t classes, F&& f) {
    if (classes <= 0xFF) return f(std::uint8_t{});
    if (classes <= 0xFFFF) return f(std::uint16_t{});
    return f(std::uint32_t{});
}

}  // namespace calipers
