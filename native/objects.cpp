// Columns of Python strings to codes. The GIL is held throughout: every row is a Python object.
#include "array.hpp"
#include "dictionary.hpp"

#include <cmath>
#include <memory>
#include <stdexcept>

namespace calipers {
namespace {

enum class Kind { text, missing, other };

// Called for values that are not str: None, NaN of any type, and the missing values of pandas.
Kind kind_of(PyObject* value) {
    if (value == Py_None) return Kind::missing;
    if (PyFloat_Check(value)) return std::isnan(PyFloat_AsDouble(value)) ? Kind::missing : Kind::other;
    if (PyLong_Check(value)) return Kind::other;
    // pandas.NA gives NA for any comparison, and bool(NA) raises.
    if (type_name(value) == "NAType") return Kind::missing;
    const nb::object differs = nb::steal(PyObject_RichCompare(value, value, Py_NE));
    const int unequal = differs.is_valid() && PyBool_Check(differs.ptr()) ? differs.ptr() == Py_True
                        : differs.is_valid()                              ? PyObject_IsTrue(differs.ptr())
                                                                          : -1;
    if (unequal < 0) PyErr_Clear();  // an object that cannot be compared is not a missing value
    return unequal > 0 ? Kind::missing : Kind::other;
}

class Objects {
public:
    explicit Objects(nb::handle source) : source_(source) {
        if (PyList_Check(source.ptr()) || PyTuple_Check(source.ptr())) {
            refresh();
            n_ = static_cast<std::size_t>(PySequence_Size(source.ptr()));
            stride_ = sizeof(PyObject*);
        } else {
            view_.reset(new View(source, "column"));
            if (view_->kind != 'O') throw nb::type_error("encode_objects needs an object array, a list or a tuple");
            data_ = view_->data, n_ = view_->n, stride_ = view_->stride;
        }
    }

    nb::tuple encode() {
        Fresh codes = run<std::uint8_t>(Fresh(dtype<std::uint8_t>(), n_));
        if (row_ < n_) codes = run<std::uint16_t>(widened<std::uint8_t, std::uint16_t>(codes));
        if (row_ < n_) codes = run<std::uint32_t>(widened<std::uint16_t, std::uint32_t>(codes));
        Fresh first(dtype<std::int64_t>(), classes_.entries().size());
        std::int64_t* out = first.as<std::int64_t>();
        for (const auto& entry : classes_.entries()) *out++ = static_cast<std::int64_t>(entry.row);
        return nb::make_tuple(codes.array, first.array, missing_, odd_);
    }

private:
    struct Recent {
        PyObject* object;
        std::uint32_t code;
    };
    static constexpr std::size_t kRecent = 1024;

    PyObject* object(std::size_t i) const {
#ifdef Py_LIMITED_API
        const auto at = static_cast<Py_ssize_t>(i);
        PyObject* const rows = source_.ptr();
        if (!view_) return PyList_Check(rows) ? PyList_GetItem(rows, at) : PyTuple_GetItem(rows, at);
#endif
        return load<PyObject*>(data_ + static_cast<std::ptrdiff_t>(i) * stride_);
    }

    // A list may move while the __ne__ of one of its items runs.
    void refresh() {
#ifndef Py_LIMITED_API
        if (!view_) data_ = reinterpret_cast<const char*>(PySequence_Fast_ITEMS(source_.ptr()));
#endif
        if (n_ && !view_ && static_cast<std::size_t>(PySequence_Size(source_.ptr())) != n_)
            throw std::runtime_error("the list changed while it was read");
    }

    template <class From, class To>
    Fresh widened(const Fresh& codes) const {
        Fresh wide(dtype<To>(), n_);
        for (std::size_t i = 0; i < row_; ++i) {
            const From code = codes.as<From>()[i];
            wide.as<To>()[i] = code == static_cast<From>(-1) ? static_cast<To>(-1) : To{code};
        }
        return wide;
    }

    // Goes on from row_ until the end, or until the classes no longer fit in C.
    template <class C>
    Fresh run(Fresh fresh) {
        constexpr std::size_t limit = static_cast<C>(-1);
        C* const codes = fresh.as<C>();
        for (; row_ < n_; ++row_) {
#ifdef __GNUC__
            // Strings made one by one lie all over the heap; their addresses are known long before they are needed.
            if (row_ + 16 < n_) __builtin_prefetch(object(row_ + 16));
#endif
            PyObject* const value = object(row_);
            const auto address = reinterpret_cast<std::uintptr_t>(value);
            Recent& recent = recent_[((address >> 4) ^ (address >> 14)) % kRecent];
            if (recent.object == value && value) {
                codes[row_] = static_cast<C>(recent.code);
            } else if (value && PyUnicode_Check(value)) {
                const std::uint32_t code = code_of(value);
                if (code >= limit) return fresh;  // the dictionary has it already, and the wider run finds it there
                recent = {value, code};
                codes[row_] = static_cast<C>(code);
            } else {
                codes[row_] = static_cast<C>(-1);
                const Kind kind = value ? checked(value) : Kind::missing;  // NumPy reads a null pointer as None
                if (kind == Kind::missing) ++missing_;
                if (kind == Kind::other && odd_ < 0) odd_ = static_cast<std::int64_t>(row_);
                if (odd_ >= 0) return stop<C>(fresh);
            }
        }
        return fresh;
    }

    // The caller reads the column in another way; what was done so far is of no use to it.
    template <class C>
    Fresh stop(Fresh fresh) {
        std::fill(fresh.as<C>() + row_, fresh.as<C>() + n_, static_cast<C>(-1));
        row_ = n_;
        return fresh;
    }

    std::uint32_t code_of(PyObject* value) {
#ifdef Py_LIMITED_API
        // The stable ABI gives the characters as UTF-8, which the string keeps. Half of a surrogate pair has none: it is
        // encoded into an object of its own.
        Py_ssize_t bytes = 0;
        if (const char* const data = PyUnicode_AsUTF8AndSize(value, &bytes))
            return code_of(key_of(data, static_cast<std::size_t>(bytes)), value);
        PyErr_Clear();
        const nb::object encoded = nb::steal(PyUnicode_AsEncodedString(value, "utf-8", "surrogatepass"));
        if (!encoded.is_valid()) throw nb::python_error();
        bytes = PyBytes_Size(encoded.ptr());
        return code_of(key_of(PyBytes_AsString(encoded.ptr()), static_cast<std::size_t>(bytes)), encoded.ptr());
#else
#if PY_VERSION_HEX < 0x030C0000
        if (PyUnicode_READY(value) != 0) throw nb::python_error();
#endif
        const auto kind = static_cast<unsigned>(PyUnicode_KIND(value));
        const std::size_t bytes = static_cast<std::size_t>(PyUnicode_GET_LENGTH(value)) * kind;
        return code_of(key_of(static_cast<const char*>(PyUnicode_DATA(value)), bytes, kind), value);
#endif
    }

    // The characters of a new class stay in their object, which must live as long.
    std::uint32_t code_of(const Key& key, PyObject* holder) {
        const std::size_t before = classes_.entries().size();
        const auto code = classes_.code(key, row_);
        if (classes_.entries().size() > before) held_.push_back(nb::borrow(holder));
        return code;
    }

    Kind checked(PyObject* value) {
        if (value == Py_None || PyFloat_CheckExact(value)) return kind_of(value);
        const nb::object alive = nb::borrow(value);
        const Kind kind = kind_of(value);
        std::fill(recent_, recent_ + kRecent, Recent{});  // foreign code ran and may have freed strings
        refresh();
        return kind;
    }

    nb::handle source_;
    std::unique_ptr<View> view_;
    const char* data_ = nullptr;
    std::size_t n_ = 0, row_ = 0;
    std::ptrdiff_t stride_ = 0;
    Dictionary classes_;
    std::vector<nb::object> held_;  // one string per class, because the dictionary points into it
    std::size_t missing_ = 0;
    std::int64_t odd_ = -1;
    Recent recent_[kRecent] = {};
};

}  // namespace

void init_objects(nb::module_& m) {
    m.def(
        "encode_objects", [](nb::handle column) { return Objects(column).encode(); },
        "(codes, first, missing, odd) of a column of str; odd: the first row that is neither str nor missing, or -1.");
}

}  // namespace calipers
