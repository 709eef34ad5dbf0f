// Columns out of Arrow streams, one batch at a time: a batch is gone before the next one comes, and what is kept is
// codes and numbers.
#include <nanobind/stl/string.h>

#include "stream_fields.hpp"

namespace calipers {
namespace {

std::unique_ptr<Field> field_of(const std::string& format, bool labels) {
    if (is_text(format)) {
        if (labels) return std::make_unique<LabelField>(format);
        return std::make_unique<ParsedField>(format);
    }
    if (const Number* number = number_of(format)) return std::make_unique<NumberField>(*number);
    throw nb::type_error(("Arrow format '" + format + "' is neither text nor numbers").c_str());
}

// The columns of several streams below each other; or, where a cell of a column of numbers is none, ("bad", column,
// row, text) alone. parts gives (capsule, a decimal mark a column); kinds has a letter a column, l for labels and n for numbers;
// progress is called with the rows so far after each batch, which is also where Ctrl-C is seen. Where `each` is given, it
// gets the columns of about every `rows` rows, and nothing is left of them here.
nb::object read_stream(nb::iterable parts, const std::string& kinds, nb::object progress, nb::object each,
                       std::size_t rows) {
    std::vector<std::unique_ptr<Field>> fields(kinds.size());
    std::vector<std::string> formats(kinds.size());
    std::size_t given = 0;
    const auto columns = [&] {
        nb::list out;
        for (auto& field : fields) out.append(field->result(!each.is_none()));
        given = fields.empty() ? 0 : fields[0]->n;
        return out;
    };
    for (nb::handle part : parts) {
        const auto decimals = nb::cast<std::string>(part[1]);
        Owned<ArrowArrayStream> stream(nb::object(part[0]), "arrow_array_stream");
        Owned<ArrowSchema> schema;
        const auto check = [&](int status) {
            if (status == 0) return;
            const char* text = stream.value.get_last_error ? stream.value.get_last_error(&stream.value) : nullptr;
            throw std::runtime_error(text ? text : "the Arrow stream failed");
        };
        {
            nb::gil_scoped_release free;
            check(stream.value.get_schema(&stream.value, &schema.value));
        }
        if (static_cast<std::size_t>(schema.value.n_children) != kinds.size())
            throw nb::type_error("the Arrow stream has other columns than were asked for");
        for (std::size_t c = 0; c < kinds.size(); ++c) {
            const std::string format = schema.value.children[c]->format;
            if (!fields[c]) fields[c] = field_of(format, kinds[c] == 'l'), formats[c] = format;
            if (format != formats[c]) throw nb::type_error("a column changes its type from one file to the next");
        }
        for (;;) {
            Owned<ArrowArray> batch;
            std::size_t column = 0;
            try {
                nb::gil_scoped_release free;
                check(stream.value.get_next(&stream.value, &batch.value));
                if (!batch.value.release) break;
                for (; column < fields.size(); ++column)
                    fields[column]->append(Rows(batch.value, column), decimals.at(column));
            } catch (const BadCell& bad) {
                auto text = nb::steal(PyUnicode_DecodeUTF8(bad.text.data(), Py_ssize_t(bad.text.size()), "replace"));
                return nb::make_tuple("bad", column, bad.row, text);
            }
            progress(fields.empty() ? 0 : fields[0]->n);
            if (PyErr_CheckSignals() != 0) throw nb::python_error();
            if (!each.is_none() && fields[0]->n - given >= rows) each(columns());
        }
    }
    if (each.is_none()) return columns();
    if (fields[0]->n > given) each(columns());
    return nb::none();
}

}  // namespace

void init_stream(nb::module_& m) {
    m.def("read_stream", &read_stream, nb::arg("parts"), nb::arg("kinds"), nb::arg("progress"),
          nb::arg("each").none() = nb::none(), nb::arg("rows") = 0,
          "Columns of labels and numbers out of Arrow streams that hold the same columns.");
}

}  // namespace calipers
