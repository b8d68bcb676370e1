"""Writes tiny-cross-encoder/: a sequence-classification model of BERT's kind whose logit can be told by hand.

    pip install onnx numpy
    python src/providers/rerank/__fixtures__/make_cross_encoder.py

The logit of a pair is the number of equal tokens between its first text (type 0) and its second (type 1), masked
tokens left out, less 0.01 for every token of the second: it is right only if ids, types, mask and padding are. The
closing [SEP] of both texts counts as one equal pair.
"""
import json
from pathlib import Path

from onnx import TensorProto, checker, helper, save

HERE = Path(__file__).parent / "tiny-cross-encoder"
WORDS = "the a red green apple pear tree grows in garden where does who eats every day cat sleeps on sofa ? . , : ##s".split()


def node(kind, inputs, output, **attributes):
    return helper.make_node(kind, inputs, [output], **attributes)


def constant(name, kind, values, shape):
    return helper.make_tensor(name, kind, shape, values)


graph = helper.make_graph(
    [
        # how much each token counts as one of the first text, and as one of the second
        node("Cast", ["attention_mask"], "mask", to=TensorProto.FLOAT),
        node("Cast", ["token_type_ids"], "type", to=TensorProto.FLOAT),
        node("Sub", ["one", "type"], "other"),
        node("Mul", ["mask", "other"], "first"),
        node("Mul", ["mask", "type"], "second"),
        # equal[b, i, j]
        node("Unsqueeze", ["input_ids", "axis2"], "rows"),
        node("Unsqueeze", ["input_ids", "axis1"], "columns"),
        node("Equal", ["rows", "columns"], "same"),
        node("Cast", ["same"], "equal", to=TensorProto.FLOAT),
        node("Unsqueeze", ["first", "axis2"], "first_rows"),
        node("Unsqueeze", ["second", "axis1"], "second_columns"),
        node("Mul", ["equal", "first_rows"], "from_first"),
        node("Mul", ["from_first", "second_columns"], "met"),
        node("ReduceSum", ["met", "axes12"], "count", keepdims=0),
        node("ReduceSum", ["second", "axis1"], "length", keepdims=0),
        node("Mul", ["length", "cost"], "price"),
        node("Sub", ["count", "price"], "score"),
        node("Unsqueeze", ["score", "axis1"], "logits"),
    ],
    "tiny-cross-encoder",
    [
        helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
        for name in ("input_ids", "attention_mask", "token_type_ids")
    ],
    [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 1])],
    [
        constant("one", TensorProto.FLOAT, [1.0], []),
        constant("cost", TensorProto.FLOAT, [0.01], []),
        constant("axis1", TensorProto.INT64, [1], [1]),
        constant("axis2", TensorProto.INT64, [2], [1]),
        constant("axes12", TensorProto.INT64, [1, 2], [2]),
    ],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
checker.check_model(model)

special = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]


def template(*items):
    return [{kind: {"id": name, "type_id": type_id}} for kind, name, type_id in items]


cls, sep = ("SpecialToken", "[CLS]", 0), ("SpecialToken", "[SEP]", 0)
tokeniser = {
    "version": "1.0",
    "truncation": None,
    "padding": None,
    "added_tokens": [
        {"id": i, "content": token, "single_word": False, "lstrip": False, "rstrip": False, "normalized": False, "special": True}
        for i, token in enumerate(special)
    ],
    "normalizer": {"type": "BertNormalizer", "clean_text": True, "handle_chinese_chars": True, "strip_accents": None, "lowercase": True},
    "pre_tokenizer": {"type": "BertPreTokenizer"},
    "post_processor": {
        "type": "TemplateProcessing",
        "single": template(cls, ("Sequence", "A", 0), sep),
        "pair": template(cls, ("Sequence", "A", 0), sep, ("Sequence", "B", 1), ("SpecialToken", "[SEP]", 1)),
        "special_tokens": {t: {"id": t, "ids": [special.index(t)], "tokens": [t]} for t in ("[CLS]", "[SEP]")},
    },
    "decoder": {"type": "WordPiece", "prefix": "##", "cleanup": True},
    "model": {
        "type": "WordPiece",
        "unk_token": "[UNK]",
        "continuing_subword_prefix": "##",
        "max_input_chars_per_word": 100,
        "vocab": {word: i for i, word in enumerate(special + WORDS)},
    },
}

HERE.mkdir(exist_ok=True)
save(model, HERE / "model.onnx")
(HERE / "tokenizer.json").write_text(json.dumps(tokeniser, indent=1) + "\n")
(HERE / "config.json").write_text(json.dumps({"model_type": "bert", "max_position_embeddings": 24, "num_labels": 1}) + "\n")
