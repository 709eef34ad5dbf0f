"""Errors of click's own, in the reader's language."""

import pytest

MESSAGES = {
    ("evaluate", "x.csv", "--treshold", "1"): {
        "en": "No such option '--treshold'. Did you mean '--threshold'",
        "vi": "Không có tuỳ chọn '--treshold'. Có phải bạn muốn nói '--threshold'",
        "zh": "没有选项 '--treshold'。您是不是想写 '--threshold'",
    },
    ("evaluate", "x.csv", "--zzzzzz"): {"en": "No such option '--zzzzzz'. (", "zh": "没有选项 '--zzzzzz'。 ("},
    ("compar",): {"en": "No such command 'compar'. Did you mean", "vi": "Không có lệnh 'compar'. Có phải bạn muốn nói"},
    ("counts",): {"en": "Missing option '--tp'.", "vi": "Thiếu tuỳ chọn '--tp'.", "zh": "缺少选项 '--tp'。"},
    ("rank",): {"en": "Missing argument 'FILE...'.", "vi": "Thiếu đối số 'FILE...'.", "zh": "缺少参数 'FILE...'。"},
    ("evaluate", "x.csv", "--level"): {
        "en": "Option '--level' requires an argument.", "vi": "Tuỳ chọn '--level' cần một giá trị.",
    },
    ("evaluate", "x.csv", "--level", "x"): {
        "en": "Invalid value for '--level': 'x' is not a valid float.",
        "vi": "Giá trị không hợp lệ cho '--level': 'x' không phải là số.",
        "zh": "'--level' 的值无效：'x' 不是数字。",
    },
    ("evaluate", "x.csv", "--seed", "1.5"): {"en": "'1.5' is not a valid integer.", "zh": "'1.5' 不是整数。"},
    ("evaluate", "x.csv", "--rows", "0"): {
        "en": "0 is not in the range x>=1.", "vi": "0 không nằm trong khoảng x>=1.", "zh": "0 不在范围 x>=1 内。",
    },
    ("rank", "a", "b", "--ties", "best"): {
        "en": "'best' is not one of 'id', 'mean', 'order'.", "zh": "'best' 不是 'id'、'mean'、'order' 之一。",
    },
    ("completion", "bash", "zsh"): {"en": "Got unexpected extra arguments (zsh)", "vi": "Thừa đối số (zsh)"},
}  # fmt: skip


@pytest.mark.parametrize("command", MESSAGES, ids=" ".join)
def test_errors_of_click_are_in_the_language_of_the_reader(calipers, command):
    for lang, message in MESSAGES[command].items():
        done = calipers(*command, CALIPERS_LANG=lang)
        assert done.returncode == 2
        assert message in done.stderr, lang
        assert done.stderr.count("\n") == 1


def test_the_option_decides_over_the_environment(calipers):
    assert "缺少选项" in calipers("counts", "--lang", "zh", CALIPERS_LANG="vi").stderr
