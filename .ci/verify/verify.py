"""Checks exported code with PyTorch itself.

    verify.py FOLDER

FOLDER holds what export.go wrote: templates, reference, zoo, families, imports, layers,
options. Of every model, on the meta device, the distinct parameters, the tensors of its
state dict, the output shapes and the work are compared with the analysis; of every family
also the outputs with those of the reference that its weights are loaded from. Templates and
imports have the tensors of their implementation, by name and shape; small imports load its
weights and yield its outputs, too. The last line is "N passed, N failed"; the exit code is
1 when anything failed.
"""

import argparse
import contextlib
import importlib.util
import io
import json
import logging
import multiprocessing
import re
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import implementations
import torch
from families import FAMILIES, Family
from torch import Tensor, nn
from torch.utils.flop_counter import FlopCounterMode

TOLERANCE = 1e-4  # of outputs, absolute
WORK_TOLERANCE = 1e-3  # of multiply-accumulates, relative
UNSUPPORTED = 5  # sound graphs outside the project that may have no PyTorch

COLUMNS = ("model", "parameters", "tensors", "output", "MACs", "parity")
WIDTHS = (28, 17, 7, 30, 19, 9)


class Mismatch(Exception):
    """Something is not what it should be; the message says both."""


@dataclass
class Result:
    """One row of the table."""

    name: str
    cells: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def load(path: Path) -> ModuleType:
    """Imports an exported file under a name of its own."""
    spec = importlib.util.spec_from_file_location(identifier(path.stem), path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def identifier(name: str) -> str:
    return "model_" + re.sub(r"\W", "_", name)


def model_class(module: ModuleType) -> type[nn.Module]:
    """The class that main() builds."""
    for name in module.main.__code__.co_names:
        candidate = getattr(module, name, None)
        if isinstance(candidate, type) and issubclass(candidate, nn.Module):
            return candidate
    raise Mismatch("main() builds no model")


def size(shape: tuple[int, ...]) -> str:
    return " x ".join(map(str, shape)) or "scalar"


def run_main(module: ModuleType, model: nn.Module) -> tuple[str, int]:
    """Runs main() with a model that is built already: what it prints, and MACs."""
    setattr(module, type(model).__name__, lambda: model)
    counter = FlopCounterMode(display=False)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), counter:
        module.main()
    return printed.getvalue(), counter.get_total_flops() // 2


def check_parameters(model: nn.Module, facts: dict) -> str:
    count = sum(p.numel() for p in model.parameters())
    if count != int(facts["parameters"]):
        raise Mismatch(f"{count:,} parameters, derived {int(facts['parameters']):,}")
    return f"{count:,}"


def check_tensors(model: nn.Module, facts: dict) -> str:
    have = {name: tuple(t.shape) for name, t in model.state_dict().items()}
    want = {t["name"]: tuple(map(int, t["shape"])) for t in facts["tensors"]}
    for name in sorted(have.keys() | want.keys()):
        if have.get(name) != want.get(name):
            raise Mismatch(f"{name} is {have.get(name)}, derived {want.get(name)}")
    return f"{len(have):,}"


def check_output(printed: str, facts: dict) -> str:
    have = re.findall(r"^output: (.*)$", printed, re.MULTILINE)
    want = [" x ".join(map(str, s)) for s in facts["output_shapes"]]
    if want and have != want:
        raise Mismatch(f"yields {have}, derived {want}")
    return "; ".join(line or "scalar" for line in have)


def check_work(macs: int, facts: dict) -> str:
    want = int(facts["macs"])
    if abs(macs - want) > WORK_TOLERANCE * want:
        raise Mismatch(f"{macs:,} MACs by torch's counter, derived {want:,}")
    return f"{macs:,}"


@contextlib.contextmanager
def faults_of(path: Path, result: Result) -> Iterator[None]:
    """Notes whatever exported code raises as a fault of that code."""
    try:
        yield
    except Exception as fault:  # noqa: BLE001
        result.faults.append(explain(fault, path))


def check(path: Path, facts: dict) -> Result:
    """Compares an exported model with its analysis, on the meta device."""
    result = Result(path.stem)
    with faults_of(path, result):
        module = load(path)
        with torch.device("meta"):
            model = model_class(module)().eval().requires_grad_(False)
        result.cells.append(check_parameters(model, facts))
        result.cells.append(check_tensors(model, facts))
        printed, macs = run_main(module, model)
        if f"parameters: {int(facts['parameters']):,}\n" not in printed:
            raise Mismatch(f"main() prints {printed.splitlines()[:1]}")
        result.cells.append(check_output(printed, facts))
        result.cells.append(check_work(macs, facts))
    return result


def check_parity(path: Path, family: Family) -> str:
    """Loads a reference's weights, and compares the outputs for the same input."""
    torch.manual_seed(0)
    reference = family.build().eval()
    disturb(reference)
    model = model_class(load(path))().eval()
    model.load_state_dict(family.state(reference), strict=True)
    inputs = family.inputs()
    with torch.no_grad():
        want = family.outputs(reference, inputs)
        have = model(*inputs)
    return compare(have if isinstance(have, tuple) else (have,), want)


def compare(have: Sequence[Tensor], want: Sequence[Tensor]) -> str:
    if [t.shape for t in have] != [t.shape for t in want]:
        shapes = [[size(t.shape) for t in side] for side in (have, want)]
        raise Mismatch("yields {}, the reference {}".format(*shapes))
    worst = max(distance(a, b) for a, b in zip(have, want, strict=True))
    if not worst <= TOLERANCE:
        raise Mismatch(f"differs from the reference by {worst:.1e}")
    return f"{worst:.0e}"


def distance(a: Tensor, b: Tensor) -> float:
    return (a - b).abs().max().item()


def disturb(model: nn.Module) -> None:
    """Moves all weights and running statistics, so that none is 0 or 1 by default."""
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.05)
        for name, buffer in model.named_buffers():
            if "running_" in name:
                buffer.add_(torch.rand_like(buffer) * 0.5)


def explain(fault: Exception, path: Path) -> str:
    """What went wrong, with the line of exported code that it went wrong in."""
    if isinstance(fault, Mismatch):
        return str(fault)
    text = f"{type(fault).__name__}: {fault}"[:600]
    frames = traceback.extract_tb(fault.__traceback__)
    for frame in reversed(frames):
        if Path(frame.filename) == path:
            return f"{text} (line {frame.lineno}: {frame.line})"
    return text


class Report:
    """The table as it is printed, and the counts at its end."""

    def __init__(self) -> None:
        self.passed = self.failed = 0

    def title(self, text: str) -> None:
        print(f"\n{text}")
        print(row(COLUMNS), flush=True)

    def add(self, result: Result) -> None:
        print(row((result.name, *result.cells)), flush=True)
        self.count(result)

    def count(self, result: Result) -> None:
        for fault in result.faults:
            print(f"    FAILED {result.name}: {fault}", flush=True)
        self.failed += bool(result.faults)
        self.passed += not result.faults

    def note(self, text: str) -> None:
        print(f"    {text}", flush=True)


def row(cells: tuple[str, ...]) -> str:
    left = (0, 3)  # columns of words
    return "  ".join(
        cell.ljust(width) if i in left else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(cells, WIDTHS, strict=False))
    ).rstrip()


def analyses(folder: Path) -> list[Path]:
    paths = sorted(folder.glob("*.json"))
    if not paths:
        raise SystemExit(f"verify.py: {folder} holds no analysis; was export.go run?")
    return paths


def model(analysis: Path) -> tuple[Path, dict]:
    """An exported file, there or not, with its analysis."""
    return analysis.with_suffix(".py"), json.loads(analysis.read_text())


def models(folder: Path) -> Iterator[tuple[Path, dict]]:
    return map(model, analyses(folder))


def reasons(facts: dict) -> str:
    """Why a graph has no PyTorch: the first layer, and how many more there are."""
    first, *more = facts["unsupported"]
    text = f"{first['layer']}: {first['why']}" if first["layer"] else first["why"]
    return text + (f" (and {len(more)} more)" if more else "")


def check_own(report: Report, title: str, folder: Path) -> None:
    """Graphs that all have to have PyTorch, as many at once as there are cores."""
    report.title(title)
    # Spawned, not forked: torch has threads, and a fork copies none of them.
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(mp_context=context, initializer=set_up) as workers:
        for result in workers.map(own, analyses(folder)):
            report.add(result)


def own(analysis: Path) -> Result:
    path, facts = model(analysis)
    if facts["unsupported"]:
        return Result(path.stem, faults=[f"has no PyTorch: {reasons(facts)}"])
    return check(path, facts)


def same_tensors(name: str, facts: dict, config: dict | None) -> str:
    """Compares the ledger with a class or builder, by its dotted name."""
    try:
        with torch.device("meta"):
            model = implementations.build(name, config)
    except NotImplementedError:  # RegNet's builder computes its sizes with tensors
        model = implementations.build(name, config)
    state = implementations.tensors(model)
    want = implementations.shapes(implementations.untie(state, facts))
    have = {t["name"]: tuple(map(int, t["shape"])) for t in facts["tensors"]}
    if wrong := implementations.difference(have, want):
        raise Mismatch(f"{name}: {wrong}")
    return f"{name}, {len(have):,} tensors"


def check_implementations(report: Report, folder: Path) -> None:
    """Templates against the implementations that their notes name."""
    print("\nImplementations of the templates")
    for path, facts in models(folder):
        result, config = Result(path.stem), facts.get("config")
        with faults_of(path, result):
            if name := facts.get("implementation"):
                same = same_tensors(name, facts, config)
                report.note(f"{path.stem}: {same}")
            elif not facts.get("published"):
                continue
            else:
                report.note(f"{path.stem}: count only")
                with contextlib.suppress(implementations.Absent):
                    name = config and implementations.class_of(config, outputs(facts))
                    if name:
                        raise Mismatch(
                            f"{name} is there, but the note does not name it"
                        )
        report.count(result)


def outputs(facts: dict) -> set[str]:
    return {r["id"] for r in facts["rows"] if r["type"] == "output"}


def check_imports(report: Report, folder: Path) -> None:
    """Imported configurations against the classes that they are of."""
    absent = {}
    for kind in sorted(folder.iterdir()):
        print(f"\nImports: {kind.name}")
        for path, facts in models(kind):
            result = Result(path.stem)
            with faults_of(path, result):
                if "error" in facts:
                    raise Mismatch(facts["error"])
                try:
                    name = implementations.class_of(facts["config"], outputs(facts))
                except implementations.Absent as why:
                    absent[f"{kind.name}/{path.stem}"] = str(why)
                    continue
                same = same_tensors(name, facts, facts["config"])
                if kind.name == "golden":
                    same += f", outputs within {import_parity(path, name, facts)}"
                report.note(f"{path.stem}: {same}")
            report.count(result)
    report.note(f"{len(absent)} are count only:")
    for name, why in absent.items():
        report.note(f"  {name}: {why}")


def import_parity(path: Path, name: str, facts: dict) -> str:
    """Loads the weights of an implementation, and compares the outputs."""
    if facts["unsupported"]:
        raise Mismatch(f"has no PyTorch: {reasons(facts)}")
    torch.manual_seed(0)
    reference = implementations.build(name, facts["config"]).eval()
    disturb(reference)
    model = model_class(load(path))().eval()
    state = implementations.tensors(reference)
    model.load_state_dict(implementations.untie(state, facts), strict=True)
    inputs = implementations.operands(facts["config"], facts)
    with torch.no_grad():
        want = implementations.results(reference, inputs, facts)
        have = model(*inputs.values())
    return compare(have if isinstance(have, tuple) else (have,), want)


def check_families(report: Report, folder: Path) -> None:
    report.title("Families")
    for path, facts in models(folder):
        result = check(path, facts)
        family = FAMILIES.get(path.stem)
        if family is None:
            result.faults.append("no reference is declared in families.py")
        elif not result.faults:
            with faults_of(path, result):
                result.cells.append(check_parity(path, family))
        report.add(result)
    for name in sorted(FAMILIES.keys() - {path.stem for path, _ in models(folder)}):
        report.count(Result(name, faults=["has no graph under testdata/families"]))


def check_zoo(report: Report, folder: Path) -> None:
    """Graphs of others: those whose shapes are derived throughout."""
    report.title("Zoo")
    unknown, refused, unsupported = [], [], []
    for path, facts in models(folder):
        if not facts["forward_passes"]:
            unknown.append(path.stem)
        elif not facts["unsupported"]:
            report.add(check(path, facts))
        elif facts["verdict"] == "fail":
            refused.append(f"{path.stem}: {reasons(facts)}")
        else:
            unsupported.append(f"{path.stem}: {reasons(facts)}")
    report.note(f"{len(unknown)} have unknown shapes: {', '.join(unknown)}")
    report.note(f"{len(refused)} cannot run as drawn, by the verifier's verdict too:")
    for line in refused:
        report.note(f"  {line}")
    report.note(
        f"{len(unsupported)} are sound, but have no PyTorch; {UNSUPPORTED} may:"
    )
    for line in unsupported:
        report.note(f"  {line}")
    result = Result("graphs without PyTorch")
    if len(unsupported) > UNSUPPORTED:
        result.faults.append(f"{len(unsupported)}, more than {UNSUPPORTED}")
    report.count(result)


def check_small(report: Report, title: str, folder: Path) -> None:
    """Graphs of one layer each; those of a mistake are refused."""
    print(f"\n{title}")
    types, checked, refused = set(), 0, []
    for path, facts in models(folder):
        types.add(path.stem.rpartition("-")[0])
        if not facts["unsupported"]:
            checked += 1
            report.count(check(path, facts))
        elif facts["verdict"] != "fail":
            refused.append(f"{path.stem}: {reasons(facts)}")
    report.note(f"{checked} graphs of {len(types)} types checked")
    if refused:
        report.note(f"{len(refused)} sound ones have no PyTorch:")
    for line in refused:
        report.note(f"  {line}")


def check_tools(report: Report, folder: Path) -> None:
    """Ruff on all exported code; its format and mypy on the templates."""
    print("\nTools")
    with tempfile.TemporaryDirectory() as named:
        # mypy wants names of modules; the folders keep those of one id apart.
        typed = []
        for path in sorted((folder / "templates").glob("*.py")):
            copy = Path(named) / f"{identifier(path.stem)}.py"
            copy.write_text(path.read_text())
            typed.append(copy)
        runs = {
            "ruff check": [
                "ruff",
                "check",
                "--isolated",
                "--no-cache",
                "--quiet",
                folder,
            ],
            "ruff format": [
                *("ruff", "format", "--isolated", "--no-cache", "--check", "--quiet"),
                folder / "templates",
            ],
            "mypy": ["mypy", "--cache-dir", Path(named) / "cache", *typed],
        }
        for name, command in runs.items():
            done = subprocess.run(
                [sys.executable, "-m", *map(str, command)],
                capture_output=True,
                text=True,
                check=False,
            )
            result = Result(name)
            if done.returncode != 0:
                result.faults.append((done.stdout + done.stderr).strip()[:2000])
            else:
                report.note(f"{name}: no complaint")
            report.count(result)


def set_up() -> None:
    """What every process of this program needs."""
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="what export.go wrote")
    folder = parser.parse_args().folder
    set_up()
    report = Report()
    check_own(report, "Templates", folder / "templates")
    if (folder / "reference").is_dir():
        check_own(report, "Reference graphs", folder / "reference")
    else:
        print("\nReference graphs: skipped, ../shared/reference is not there")
    if (folder / "zoo").is_dir():
        check_zoo(report, folder / "zoo")
    else:
        print("\nZoo: skipped, ../shared/zoo is not there")
    check_families(report, folder / "families")
    check_implementations(report, folder / "templates")
    check_imports(report, folder / "imports")
    check_small(report, "Examples of the layer types", folder / "layers")
    check_small(report, "Options of the layer types", folder / "options")
    check_tools(report, folder)
    print(f"\n{report.passed} passed, {report.failed} failed")
    return 1 if report.failed else 0


if __name__ == "__main__":
    sys.exit(main())
