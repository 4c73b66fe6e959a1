"""The classes of transformers and torchvision that templates and imports are compared with."""

import contextlib
import importlib
import inspect
from collections.abc import Callable, Iterator
from unittest.mock import patch

import torch
import transformers as hf
from torch import Tensor, nn
from torchvision.models import WeightsEnum, get_model_weights
from transformers.core_model_loading import revert_weight_conversion
from transformers.models.auto import modeling_auto as auto

Shapes = dict[str, tuple[int, ...]]


class Absent(Exception):
    """The pinned libraries do not have it; the message says what."""


def named(path: str) -> Callable[..., nn.Module]:
    """What a dotted name stands for."""
    module, _, name = path.rpartition(".")
    found = getattr(importlib.import_module(module), name, None)
    if found is None:
        raise Absent(f"{module} has no {name}")
    return found


def build(path: str, config: dict | None) -> nn.Module:
    """The model of a dotted name; a configuration is that of its class."""
    make = named(path)
    if path.startswith("torchvision."):
        return published(make)
    if config is None:
        return make()
    return make(configuration(config))


def published(make: Callable[..., nn.Module]) -> nn.Module:
    """What a builder of torchvision makes for its first weights, which stay unread.

    Auxiliary heads and frozen norms are there with weights alone.
    """
    weights = next(iter(get_model_weights(make)))
    with (
        patch.object(WeightsEnum, "get_state_dict", lambda *_, **__: {}),
        patch.object(nn.Module, "load_state_dict", lambda *_, **__: None),
    ):
        return make(weights=weights)


def configuration(config: dict) -> hf.PretrainedConfig:
    made = hf.AutoConfig.for_model(**config, attn_implementation="eager")
    for part in (made, made.get_text_config()):
        # The default of a class may lie outside of a small vocabulary.
        if (getattr(part, "pad_token_id", None) or 0) >= getattr(
            part, "vocab_size", 1 << 62
        ):
            part.pad_token_id = None
    if theta := (config.get("attn_config") or {}).get("rope_theta"):
        # DBRX's checkpoint has the base of the angles there; the class reads it here.
        made.rope_parameters["rope_theta"] = theta
    return made


def class_of(config: dict, outputs: set[str]) -> str:
    """The dotted name of the class that a configuration is of.

    Where it names none, that is the one that yields the outputs of the document.
    """
    kind = config["model_type"]
    if kind not in hf.CONFIG_MAPPING:
        raise Absent(f"transformers has no {kind}")
    mappings = [auto.MODEL_MAPPING_NAMES]
    if "logits" in outputs:
        mappings = [
            # What has an encoder may have a class for its decoder alone, too.
            auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES,
            auto.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES,
            auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES,
            auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
            auto.MODEL_FOR_IMAGE_CLASSIFICATION_MAPPING_NAMES,
            auto.MODEL_FOR_SEMANTIC_SEGMENTATION_MAPPING_NAMES,
        ]
    names = [m[kind] for m in mappings if kind in m]
    name = (config.get("architectures") or names)[0]
    if not hasattr(hf, name):
        raise Absent(f"transformers has no {name}")
    return f"transformers.{name}"


def tensors(model: nn.Module) -> dict[str, Tensor]:
    """The state dict, under the names that a checkpoint of the model has."""
    state = model.state_dict()
    if isinstance(model, hf.PreTrainedModel):
        return revert_weight_conversion(model, state)
    return state


def shapes(state: dict[str, Tensor]) -> Shapes:
    return {name: tuple(t.shape) for name, t in state.items()}


def untie(state: dict[str, Tensor], facts: dict) -> dict[str, Tensor]:
    """A state dict with tied tensors under each of their names.

    A checkpoint may have them under the first alone, where one module has several places.
    """
    ties = {t["name"]: t["tied_to"] for t in facts["tensors"] if t["tied_to"]}
    more = {k: state[v] for k, v in ties.items() if k not in state and v in state}
    return state | more


def difference(have: Shapes, want: Shapes) -> str:
    """The first names that two lists of tensors differ in, "" where they do not."""
    wrong = [n for n in sorted(have.keys() | want.keys()) if have.get(n) != want.get(n)]
    lines = [f"{n}: derived {have.get(n)}, implementation {want.get(n)}" for n in wrong]
    more = f" and {len(lines) - 4} more" if len(lines) > 4 else ""
    return "; ".join(lines[:4]) + more


def operands(config: dict, facts: dict) -> dict[str, Tensor]:
    """Random inputs by the names of the document, which are those of forward()."""
    made_of = configuration(config)
    text = made_of.get_text_config()
    sizes = {
        "token_type_ids": "type_vocab_size",
        "task_type_ids": "task_type_vocab_size",
    }
    made = {}
    for row in facts["rows"]:
        if row["type"] == "input":
            name, shape = row["id"], tuple(map(int, row["output_shape"]))
            bound = name.endswith("_ids") and getattr(
                text, sizes.get(name, "vocab_size")
            )
            # The first ids are padding in some models, which have no position then.
            low = 3 if name not in sizes and bound else 0
            made[name] = (
                torch.randint(low, bound, shape) if bound else torch.randn(shape)
            )
    mark = getattr(made_of, "image_token_id", None)
    if mark is not None and "pixel_values" in made:
        made["input_ids"] %= mark  # no text has the token of an image
    if config["model_type"] == "clip":  # which reads a text at this token
        made["input_ids"] %= text.eos_token_id
        made["input_ids"][:, -1] = text.eos_token_id
    return made


def prompt(model: nn.Module, inputs: dict[str, Tensor], facts: dict) -> dict:
    """Inputs of forward() where the document has the tokens of an image before a text."""
    mark = getattr(model.config, "image_token_id", None)
    if mark is None or "pixel_values" not in inputs:
        return inputs
    texts = inputs["input_ids"]
    logits = next(r for r in facts["rows"] if r["id"] == "logits")
    tokens = int(logits["output_shape"][1]) - texts.shape[1]
    ids = torch.cat((torch.full((len(texts), tokens), mark), texts), dim=1)
    more = {}
    if "token_type_ids" in inspect.signature(model.forward).parameters:
        more["token_type_ids"] = (ids == mark).long()
    return inputs | {"input_ids": ids} | more


@contextlib.contextmanager
def whole() -> Iterator[None]:
    """Llama 4 reads a field of its language model's results that those lack."""
    kind = hf.models.llama4.modeling_llama4.MoeCausalLMOutputWithPast
    kind.image_outputs = None
    try:
        yield
    finally:
        del kind.image_outputs


def results(model: nn.Module, inputs: dict[str, Tensor], facts: dict) -> list[Tensor]:
    """What a reference yields of what the document calls outputs."""
    cached = "use_cache" in model.forward.__code__.co_varnames
    with whole():
        result = model(
            **prompt(model, inputs, facts), **({"use_cache": False} if cached else {})
        )
    names = [r["id"] for r in facts["rows"] if r["type"] == "output"]
    tower = None
    if not all(hasattr(result, name) for name in names):
        tower = model.model.vision_tower(inputs["pixel_values"])
    return [getattr(result if hasattr(result, n) else tower, n) for n in names]
