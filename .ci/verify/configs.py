"""Writes the configurations whose imports are checked.

    configs.py FAMILIES FOLDER [TABLE]

FAMILIES is what export.go says of the importers. Written are, each in a folder of its own:
"golden", the small configurations of the importers' tests; "defaults", of each importer
whose model type transformers has, the fields that it requires as the configuration class
has them, all others left out; and "published", the configurations of TABLE.
"""

import json
import re
import sys
from pathlib import Path

from transformers import CONFIG_MAPPING, AutoConfig

GOLDEN = Path("generator/adopt/testdata")

# What a configuration class leaves null or out although its model needs it, or although
# 96 heads do not divide a width of 4,096; and parts whose defaults do not fit one another.
LACKING = {
    "dbrx": {"attn_config": {"kv_n_heads": 1, "rope_theta": 10000.0}},
    "deepseek_v2": {"num_experts_per_tok": 6},
    "glm4_moe": {"head_dim": 128},
    "gemma3": {"mm_tokens_per_image": 49},
    "llama4": {
        "architectures": ["Llama4ForConditionalGeneration"],
        "vision_config": {"hidden_size": 1408, "vision_output_dim": 4096},
    },
}


def golden() -> dict[str, dict]:
    """The first file of each archive of the importers' tests."""
    found = {}
    for path in sorted(GOLDEN.glob("*.txtar")):
        _, _, text = path.read_text().partition("-- config.json --\n")
        found[path.stem] = json.loads(
            re.split(r"^-- .* --$", text, flags=re.MULTILINE)[0]
        )
    return found


def defaults(families: list[dict]) -> dict[str, dict]:
    """What an importer requires of a configuration, as its class has it by default."""
    found = {}
    for family in families:
        for name in family["types"]:
            if name not in CONFIG_MAPPING:
                continue
            whole = AutoConfig.for_model(name).to_dict()
            found[name] = {"model_type": name}
            for field in family["fields"]:
                keys = [k for k in (field["name"], *field["also"]) if k in whole]
                nested = keys and field["name"].endswith("_config")
                if keys and (field["required"] or nested):
                    found[name][keys[0]] = whole[keys[0]]
            found[name] |= LACKING.get(name, {})
    return found


def published(table: list[dict]) -> dict[str, dict]:
    return {
        row["name"]: {"model_type": row["model_type"], "architectures": [row["arch"]]}
        | row["config"]
        for row in table
    }


def main() -> None:
    families, folder = json.loads(Path(sys.argv[1]).read_text()), Path(sys.argv[2])
    known = {name for family in families for name in family["types"]}
    kinds = {"golden": golden(), "defaults": defaults(families)}
    if len(sys.argv) > 3:
        kinds["published"] = published(json.loads(Path(sys.argv[3]).read_text()))
    for kind, configs in kinds.items():
        (folder / kind).mkdir(parents=True)
        for name, config in configs.items():
            if config["model_type"] in known:
                path = folder / kind / f"{name}.json"
                path.write_text(json.dumps(config, indent=1))


if __name__ == "__main__":
    main()
