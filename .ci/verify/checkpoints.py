"""Compares graphs with checkpoint files that the public packages write.

    checkpoints.py STRATA FOLDER

STRATA is the program. For tiny random models of several families, FOLDER gets files as
transformers, safetensors and gguf write them: whole, with one thing changed, and packed in
each of the usual ways. `strata check --against` has to name exactly what was changed. The
exit code is 1 when anything failed.
"""

import json
import logging
import subprocess
import sys
import warnings
from collections.abc import Callable
from pathlib import Path

import configs
import gguf
import implementations
import numpy as np
import torch
from safetensors.torch import save_file
from torch import Tensor

State = dict[str, Tensor]
# Families, each with a matrix that can be changed and packed.
FAMILIES = {
    "llama": "model.layers.1.mlp.down_proj.weight",
    "gpt2": "transformer.h.1.mlp.c_fc.weight",
    "bert": "encoder.layer.1.intermediate.dense.weight",
    "mixtral": "model.layers.1.block_sparse_moe.experts.2.w2.weight",
    "qwen3": "model.layers.1.self_attn.q_proj.weight",
    "gpt_neox": "gpt_neox.layers.1.mlp.dense_4h_to_h.weight",
    "mamba": "backbone.layers.1.mixer.in_proj.weight",
    "gpt_oss": "model.layers.1.self_attn.o_proj.weight",
}


class Fault(Exception):
    """The program says something else than what was done."""


class Check:
    """Runs the program, and counts what comes out."""

    def __init__(self, strata: str, folder: Path) -> None:
        self.strata, self.folder = strata, folder
        self.passed = self.failed = 0

    def import_(self, name: str, config: dict) -> Path:
        source, out = self.folder / name / "config.json", self.folder / name / "graph"
        source.parent.mkdir(parents=True)
        source.write_text(json.dumps(config))
        subprocess.run(
            [self.strata, "import", "hf", source, "-o", out],
            check=True,
            capture_output=True,
        )
        return out

    def compare(self, graph: Path, weights: Path) -> dict:
        command = [self.strata, "check", graph, "--against", weights]
        done = subprocess.run(
            [*command, "--format", "json"], capture_output=True, text=True, check=False
        )
        if not done.stdout:
            raise Fault(done.stderr.strip())
        answer = json.loads(done.stdout)
        if done.returncode != (answer["verdict"] == "different"):
            raise Fault(f"exit code {done.returncode}, verdict {answer['verdict']}")
        lines = sum(line["elements"] for line in answer["lines"])
        if answer["parameters"] + lines != answer["stored"]:
            raise Fault(
                f"{answer['parameters']} and lines {lines} do not make {answer['stored']}"
            )
        return answer

    def expect(
        self,
        title: str,
        graph: Path,
        weights: Path,
        verdict: str,
        differences: set[tuple[str, str]] = frozenset(),
        form: str = "",
    ) -> None:
        try:
            answer = self.compare(graph, weights)
            have = {
                (d["kind"], d["name"])
                for d in answer["differences"]
                if d["kind"] != "name"
            }
            forms = {f["name"] for f in answer["forms"]}
            if answer["verdict"] != verdict or have != differences:
                raise Fault(
                    f"{answer['verdict']} {sorted(have)[:5]}, expected {verdict} {sorted(differences)}"
                )
            if form and forms != {form}:
                raise Fault(f"packed by {forms}, expected {form}")
            self.passed += 1
        except Fault as fault:
            self.failed += 1
            print(f"    FAILED {title}: {fault}", flush=True)


def reference(config: dict, graph: Path) -> State:
    """A random model of a configuration, as it is stored."""
    rows = json.loads((graph / "model.json").read_text())["components"]
    outputs = {row["id"] for row in rows if row.get("type") == "output"}
    torch.manual_seed(0)
    model = implementations.build(implementations.class_of(config, outputs), config)
    state = implementations.tensors(model)
    tied = set(getattr(model, "_tied_weights_keys", None) or ())
    return {
        k: v.detach().clone().contiguous()
        for k, v in state.items()
        if k not in tied or not model.config.get_text_config().tie_word_embeddings
    }


def changed(state: State, name: str) -> dict[str, tuple[State, str, set]]:
    """One thing changed: the tensors, the verdict, and what has to be named."""
    tensor = state[name]
    rest = {k: v for k, v in state.items() if k != name}
    wide = torch.zeros(tensor.shape[0], tensor.shape[1] + 1)
    return {
        "equal": (state, "equal", set()),
        "missing": (rest, "different", {("missing", name)}),
        "extra": (
            state | {"adapter.weight": torch.zeros(3, 5)},
            "different",
            {("extra", "adapter.weight")},
        ),
        "shape": (rest | {name: wide}, "different", {("shape", name)}),
        "dtype": (rest | {name: tensor.half()}, "equal", {("dtype", name)}),
    }


def words(rows: int, columns: int, dtype: torch.dtype = torch.int32) -> Tensor:
    return torch.randint(0, 100, (rows, columns)).to(dtype)


def gptq(base: str, w: Tensor) -> State:
    out, inner = w.shape
    return {
        f"{base}.qweight": words(inner // 8, out),
        f"{base}.qzeros": words(2, out // 8),
        f"{base}.scales": torch.ones(2, out).half(),
        f"{base}.g_idx": torch.zeros(inner).int(),
    }


def awq(base: str, w: Tensor) -> State:
    out, inner = w.shape
    return {
        f"{base}.qweight": words(inner, out // 8),
        f"{base}.qzeros": words(2, out // 8),
        f"{base}.scales": torch.ones(2, out).half(),
    }


def mlx(base: str, w: Tensor) -> State:
    out, inner = w.shape
    return {
        f"{base}.weight": words(out, inner // 4, torch.uint32),
        f"{base}.scales": torch.ones(out, 2).half(),
        f"{base}.biases": torch.ones(out, 2).half(),
    }


def compressed(base: str, w: Tensor) -> State:
    out, inner = w.shape
    return {
        f"{base}.weight_packed": words(out, inner // 8),
        f"{base}.weight_scale": torch.ones(out, 2).half(),
        f"{base}.weight_shape": torch.tensor(w.shape),
    }


def fp8(base: str, w: Tensor) -> State:
    return {
        f"{base}.weight": w.to(torch.float8_e4m3fn),
        f"{base}.weight_scale_inv": torch.ones(1, 1),
    }


def nvfp4(base: str, w: Tensor) -> State:
    out, inner = w.shape
    return {
        f"{base}.weight": words(out, inner // 2, torch.uint8),
        f"{base}.weight_scale": torch.ones(out, inner // 16).to(torch.float8_e4m3fn),
        f"{base}.weight_scale_2": torch.ones(()),
        f"{base}.input_scale": torch.ones(()),
    }


def bnb4(base: str, w: Tensor) -> State:
    return {
        f"{base}.weight": words(w.numel() // 2, 1, torch.uint8),
        f"{base}.weight.absmax": torch.ones(w.numel() // 64),
        f"{base}.weight.quant_map": torch.ones(16),
        f"{base}.weight.quant_state.bitsandbytes__nf4": words(1, 80, torch.uint8)[0],
    }


def bnb8(base: str, w: Tensor) -> State:
    return {f"{base}.weight": w.to(torch.int8), f"{base}.SCB": torch.ones(w.shape[0])}


def int8(base: str, w: Tensor) -> State:
    return {
        f"{base}.weight": w.to(torch.int8),
        f"{base}.weight_scale": torch.ones(w.shape[0], 1),
    }


PACKINGS: dict[str, Callable[[str, Tensor], State]] = {
    "GPTQ": gptq,
    "AWQ": awq,
    "MLX": mlx,
    "compressed-tensors": compressed,
    "FP8": fp8,
    "NVFP4": nvfp4,
    "bitsandbytes 4-bit": bnb4,
    "bitsandbytes 8-bit": bnb8,
    "INT8": int8,
}


def quantised(state: State, pack: Callable[[str, Tensor], State]) -> State:
    """All matrices of layers packed; embeddings, heads and norms stay."""
    made: State = {}
    for name, w in state.items():
        base = name.removesuffix(".weight")
        inner = ".layers." in name and w.dim() == 2 and base != name and len(w) >= 8
        made |= pack(base, w) if inner else {name: w}
    return made


def mxfp4(state: State) -> State:
    """Experts as gpt-oss stores them: blocks of 32 numbers in 16 bytes, outputs first."""
    made: State = {}
    for name, w in state.items():
        if name.endswith(("gate_up_proj", "down_proj")):
            experts, inner, out = w.shape
            blocks = torch.zeros(experts, out, inner // 32, 16, dtype=torch.uint8)
            made |= {f"{name}_blocks": blocks, f"{name}_scales": blocks[..., 0].clone()}
        else:
            made[name] = w
    return made


ARCHITECTURES = {
    "llama": gguf.MODEL_ARCH.LLAMA,
    "qwen3": gguf.MODEL_ARCH.QWEN3,
    "gpt2": gguf.MODEL_ARCH.GPT2,
    "gpt_neox": gguf.MODEL_ARCH.GPTNEOX,
}


def write_gguf(path: Path, name: str, state: State, kind: str) -> None:
    """The tensors under the names that the package gives them."""
    arch = ARCHITECTURES[name]
    places = gguf.get_tensor_name_map(arch, 4)
    writer = gguf.GGUFWriter(path, gguf.MODEL_ARCH_NAMES[arch])
    writer.add_array("tokenizer.ggml.tokens", [f"token {i}" for i in range(96)])
    for key, tensor in state.items():
        place = places.get_name(key, try_suffixes=(".weight", ".bias"))
        if place is None:
            raise Fault(f"the package has no name for {key}")
        data = tensor.float().numpy()
        if kind == "Q8_0" and data.ndim == 2:
            raw = gguf.quants.quantize(data, gguf.GGMLQuantizationType.Q8_0)
            writer.add_tensor(place, raw, raw_dtype=gguf.GGMLQuantizationType.Q8_0)
        else:
            writer.add_tensor(
                place, data.astype(np.float16) if data.ndim == 2 else data
            )
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def shards(folder: Path, state: State, declared: int) -> Path:
    """The state in three files, with an index."""
    folder.mkdir()
    where = {
        key: f"model-{i % 3 + 1:05}-of-00003.safetensors" for i, key in enumerate(state)
    }
    for shard in sorted(set(where.values())):
        save_file({k: v for k, v in state.items() if where[k] == shard}, folder / shard)
    index = folder / "model.safetensors.index.json"
    metadata = {"total_parameters": declared}
    index.write_text(json.dumps({"metadata": metadata, "weight_map": where}))
    return index


def main() -> int:
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    print("Checkpoint files", flush=True)
    folder = Path(sys.argv[2])
    check = Check(sys.argv[1], folder)
    small = configs.golden()
    for name, matrix in FAMILIES.items():
        config = small[name]
        graph = check.import_(name, config)
        state = reference(config, graph)
        for what, (tensors, verdict, differences) in changed(state, matrix).items():
            path = folder / name / f"{what}.safetensors"
            save_file(tensors, path)
            check.expect(f"{name} {what}", graph, path, verdict, differences)
        path = shards(folder / name / "shards", state, 7)
        check.expect(f"{name} in shards", graph, path, "equal")
        if "7, but" not in "".join(check.compare(graph, path)["remarks"]):
            check.failed += 1
            print(f"    FAILED {name}: a declared total that is wrong is not named")
        prefixed = {f"base.{k}": v for k, v in state.items()}
        save_file(prefixed, folder / name / "prefix.safetensors")
        check.expect(
            f"{name} with a prefix",
            graph,
            folder / name / "prefix.safetensors",
            "renamed",
        )
        for kind in ("F16", "Q8_0") if name in ARCHITECTURES else ():
            path = folder / name / f"{kind}.gguf"
            stored = {
                k: v.T.contiguous() if "c_" in k and v.dim() == 2 else v
                for k, v in state.items()
            }
            write_gguf(path, name, stored, kind)
            check.expect(f"{name} {kind}", graph, path, "renamed")
        if name in ("llama", "qwen3", "mixtral"):
            for form, pack in PACKINGS.items():
                path = folder / name / f"{form}.safetensors"
                save_file(quantised(state, pack), path)
                check.expect(f"{name} by {form}", graph, path, "equal", form=form)
        if name == "gpt_oss":
            path = folder / name / "MXFP4.safetensors"
            save_file(mxfp4(state), path)
            check.expect("gpt_oss by MXFP4", graph, path, "equal", form="MXFP4")
    print(f"Checkpoints: {check.passed} passed, {check.failed} failed", flush=True)
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
