"""The names under which people keep truth, prediction and score, in the scripts that they write."""

from __future__ import annotations

import re
import unicodedata

TRUTH = (
    "y_true", "y", "truth", "ground_truth", "gt", "gold", "label", "true_label", "target", "actual",
    "class", "true_class",
    "nhãn", "nhan", "nhãn_thật", "nhan_that", "thực_tế", "thuc_te",
    "真实", "真实值", "真实标签", "真实类别", "标签", "类别", "實際", "標籤",
)  # fmt: skip
PRED = (
    "y_pred", "y_hat", "yhat", "pred", "prediction", "predicted", "predicted_label", "predicted_class", "pred_label",
    "dự_đoán", "du_doan", "nhãn_dự_đoán", "nhan_du_doan",
    "预测", "预测值", "预测标签", "预测类别", "預測",
)  # fmt: skip
SCORE = (
    "y_score", "score", "y_prob", "prob", "y_proba", "proba", "probability", "p",
    "xác_suất", "xac_suat", "điểm", "điểm_số", "diem", "diem_so",
    "得分", "概率", "分数", "预测概率", "機率",
)  # fmt: skip
CLUSTER = (
    "cluster", "cluster_id", "cluster_label", "cluster_labels", "labels", "label", "pred", "y_pred", "predicted",
    "cụm", "cum", "nhãn_cụm", "nhan_cum", "簇", "聚类", "簇标签", "聚类标签",
)  # fmt: skip
QUERY = (
    "query", "query_id", "qid", "q_id", "topic", "topic_id", "session", "session_id", "user", "user_id",
    "truy_vấn", "truy_van", "查询", "用户",
)  # fmt: skip
DOC = (
    "doc", "doc_id", "docid", "docno", "document", "document_id", "item", "item_id", "passage_id",
    "tài_liệu", "tai_lieu", "文档", "物品",
)  # fmt: skip
RELEVANCE = ("relevance", "rel", "grade", "judgement", "judgment", "label", "gain", "độ_liên_quan", "相关性", "相关度")
# Before the name of a class: p_cat is the probability of cat.
PREFIXES = ("p", "prob", "proba", "probability", "score", "xác_suất", "xac_suat", "概率", "得分")
PREFIX = re.compile(rf"({'|'.join(PREFIXES)})[_ :./-]+(.+)", re.IGNORECASE | re.DOTALL)


def fold(name: str) -> str:
    """A name as it is compared: composed, caseless, words joined by underscores.

    >>> fold(" Y True"), fold("DỰ-ĐOÁN") == fold("dự_đoán")
    ('y_true', True)
    """
    plain = unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).strip().casefold())
    return re.sub(r"[\s._-]+", "_", plain)


USUAL = frozenset(map(fold, (*TRUTH, *PRED, *SCORE)))


def class_of(name: str) -> tuple[str, str] | None:
    """The prefix and the class of a column of scores, p_cat, or None.

    >>> class_of("p_cat"), class_of("xác_suất_mèo"), class_of("price")
    (('p', 'cat'), ('xác_suất', 'mèo'), None)
    """
    match = PREFIX.fullmatch(unicodedata.normalize("NFC", name).strip())
    return None if match is None else (fold(match[1]), match[2])
