"""Writes small graphs of one layer each, over the options that change its code.

    options.py FOLDER

Every option of a row of the table is tried with every other one of that row: names and
shapes of the state dict, output and work have to come out right for each of them.
"""

import itertools
import json
import sys
from pathlib import Path

BOTH = (False, True)
LAYOUTS = ("split", "fused", "interleaved")
ROPE = {"id": "rope", "type": "rope", "params": {"dim": 8}}
ALIBI = {"id": "alibi", "type": "alibi", "params": {"numHeads": 4}}
TOKENS, UNBATCHED, IMAGE = (2, 12, 32), (12, 32), (2, 9, 10, 32)
CONTEXT, KEYS, SHORT = (2, 7, 32), (2, 7, 48), (7, 32)
FREE = {"q.weight": "wq", "k.weight": "wk", "v.weight": "wv", "o.weight": "wo"}
FREE_FUSED = {"qkv.weight": "in_proj_weight", "o": "out.dense"}
FREE_MLP = {"gate.weight": "w1", "up.weight": "w3", "down.weight": "net.2.w"}

# The type, the options, and: the operands, the side inputs, a mask.
TABLE = [
    (
        "multiHeadAttention",
        {
            "layout": LAYOUTS,
            "transposed": BOTH,
            "bias": BOTH,
            "keyBias": BOTH,
            "outProj": BOTH,
        },
    ),
    (
        "groupedQueryAttention",
        {
            "layout": LAYOUTS,
            "transposed": BOTH,
            "numKVHeads": (1, 2, 4),
            "qkNorm": ("none", "head", "full"),
            "qkNormBias": BOTH,
        },
        [TOKENS],
        [ROPE],
    ),
    *(
        (
            "groupedQueryAttention",
            {
                "numKVHeads": (2,),
                "causal": BOTH,
                "slidingWindow": (None, 4),
                "softcap": (0, 5.0),
                "sinks": BOTH,
                "dropout": (0, 0.1),
            },
            [UNBATCHED],
            sides,
        )
        for sides in ([], [ROPE], [ALIBI])
    ),
    *(
        (
            "multiHeadAttention",
            {"causal": BOTH, "relativeBuckets": (None, 8)},
            [TOKENS],
            sides,
            mask,
        )
        for sides in ([], [ALIBI])
        for mask in ((12, 12), (2, 12), (12,), (2, 12, 12), (2, 4, 12, 12))
    ),
    *(
        (
            "multiHeadAttention",
            {"layout": ("split", "fused"), "transposed": BOTH, "keyBias": BOTH},
            [TOKENS, *context],
        )
        for context in ([CONTEXT], [CONTEXT, CONTEXT], [SHORT], [(1, 7, 32)])
    ),
    ("multiHeadAttention", {"transposed": BOTH, "names": (FREE,)}),
    (
        "multiHeadAttention",
        {"transposed": BOTH, "layout": LAYOUTS[1:], "names": (FREE_FUSED,)},
    ),
    ("crossAttention", {"kvDim": (48,), "bias": BOTH}, [TOKENS, KEYS], [ROPE]),
    ("localAttention", {"windowSize": (5,), "causal": BOTH}),
    *(
        (
            "windowAttention",
            {
                "windowSize": (4, [4, 3]),
                "shiftSize": (0, 2),
                "relativePositions": BOTH,
                "layout": LAYOUTS,
            },
            [shape],
        )
        for shape in (IMAGE, (1, 8, 12, 32))
    ),
    (
        "windowAttention",
        {
            "windowSize": (4, [4, 3]),
            "shiftSize": (0, 2),
            "relativePositions": BOTH,
            "relativeIndex": ("flat", "none"),
            "decomposedPositions": BOTH,
            "outProj": BOTH,
        },
        [IMAGE],
    ),
    ("windowAttention", {"windowSize": (5,), "bias": BOTH}),
    *(
        (
            "multiHeadAttention",
            {"relativeGrid": ([11, 1],), "causal": BOTH},
            [TOKENS],
            sides,
            mask,
        )
        for sides in ([], [ROPE], [ALIBI])
        for mask in (None, (12, 12))
    ),
    *(
        (
            "patchMerging",
            {"normLast": BOTH, "transposed": BOTH, "outFeatures": (None, 9)},
            [shape],
        )
        for shape in (IMAGE, (1, 8, 12, 32))
    ),
    *(
        (
            "mla",
            {
                "qLatentDim": (0, 16),
                "kvLatentDim": (12,),
                "ropeHeadDim": (8,),
                "nopeHeadDim": (8,),
                "vHeadDim": (6,),
                "bias": BOTH,
                "transposed": BOTH,
            },
            [TOKENS],
            sides,
        )
        for sides in ([], [ROPE])
    ),
    *(
        (
            "disentangledAttention",
            {
                "positionBuckets": (5, None),
                "maxDistance": (5,),
                "contentToPosition": BOTH,
                "positionToContent": BOTH,
                "sharedKeys": BOTH,
                "outProj": BOTH,
            },
            [shape, (10, 32)],
        )
        for shape in (TOKENS, UNBATCHED)
    ),
    ("relativePositionBias", {"numHeads": (4,), "causal": BOTH}, [TOKENS]),
    ("relativePositionBias", {"numHeads": (4,), "causal": BOTH}, [UNBATCHED]),
    *(
        (
            "conv1d",
            {
                "outChannels": (8,),
                "kernelSize": (3,),
                "bias": BOTH,
                "weightNorm": (0, 1, 2),
                "names": ({}, {"parametrizations.weight.original0": "weight_g"}),
            },
            [shape],
        )
        for shape in (TOKENS, UNBATCHED)
    ),
    (
        "transformerBlock",
        {
            "numLayers": (1, 2),
            "causal": BOTH,
            "norm": ("pre", "post"),
            "activation": ("relu", "gelu"),
        },
    ),
    *(
        ("transformerBlock", {"numLayers": (1, 2), "causal": BOTH}, [TOKENS], [], mask)
        for mask in ((12, 12), (2, 12))
    ),
    ("feedForward", {"bias": BOTH, "transposed": BOTH, "dropout": (0, 0.1)}),
    (
        "feedForward",
        {"activation": ("relu2", "quick_gelu", "gelu_new", "linear", "silu")},
    ),
    *(
        (
            kind,
            {
                "intermediateSize": (24,),
                "layout": ("split", "fused"),
                "bias": BOTH,
                "transposed": BOTH,
            },
        )
        for kind in ("swiglu", "geglu")
    ),
    (
        "swiglu",
        {"intermediateSize": (24,), "transposed": BOTH, "names": (FREE_MLP,)},
    ),
    *(
        (
            kind,
            {
                "numExperts": (4,),
                "expertDim": (24,),
                "gated": BOTH,
                "layout": ("split", "fused", "stacked", "rows"),
                "bias": BOTH,
                "transposed": BOTH,
                "scoreCorrection": BOTH,
                **more,
            },
        )
        for kind, more in (
            ("moeLayer", {"routerBias": BOTH}),
            ("moeLayer", {"numGroups": (2,), "topGroups": (1,)}),
            ("moeLayer", {"scoring": ("sparsemixer",), "normTopK": BOTH}),
            ("sharedExpertMoE", {"sharedGate": BOTH}),
        )
    ),
    *(
        (
            kind,
            {
                "hiddenSize": (20,),
                "numLayers": (1, 2),
                "bidirectional": BOTH,
                "bias": BOTH,
                "returnSequences": BOTH,
                **more,
            },
            [shape],
        )
        for kind, more in (("lstm", {"projSize": (0, 6)}), ("gru", {}), ("rnn", {}))
        for shape in (TOKENS, UNBATCHED)
    ),
    (
        "mamba",
        {
            "dState": (4,),
            "convBias": BOTH,
            "bias": BOTH,
            "stateNorms": BOTH,
            "transposed": BOTH,
        },
    ),
    (
        "mamba2",
        {
            "dState": (4,),
            "headDim": (8,),
            "numGroups": (1, 2),
            "convBias": BOTH,
            "bias": BOTH,
            "transposed": BOTH,
        },
    ),
    ("rwkvTimeMix", {"innerDim": (24, 32), "transposed": BOTH}),
    ("rwkvChannelMix", {"ffDim": (24, 128), "transposed": BOTH}),
    (
        "groupedQueryAttention",
        {
            "layout": LAYOUTS,
            "numKVHeads": (2, 4),
            "qkNorm": ("none", "head", "full"),
            "clipQKV": (0, 2.0),
        },
    ),
    ("learnedPositionalEmbedding", {"maxLen": (14,), "offset": (0, 2)}),
    *(
        (
            "causalAttention",
            {},
            [TOKENS],
            [
                {
                    "id": "rope",
                    "type": "rope",
                    "params": {
                        "dim": 8,
                        "partialRotaryFactor": part,
                        "interleaved": pairs,
                        "factor": 4,
                        "originalMaxSeqLen": 8,
                        "maxSeqLen": 8,
                        "scaling": scaling,
                    },
                }
            ],
        )
        for part in (0.5, 1)
        for pairs in BOTH
        for scaling in ("none", "linear", "dynamic", "llama3", "yarn")
    ),
]

HEADS = {"numHeads": 4}


def graph(kind, params, shapes, sides, mask) -> dict:
    components, operands = [], []
    for i, shape in enumerate(shapes):
        components.append(
            {"id": f"input_{i}", "type": "input", "params": {"shape": shape}}
        )
        operands.append(f"input_{i}")
        if i > 0:
            # A context straight from an input could be a mask.
            components.append(
                {
                    "id": f"context_{i}",
                    "type": "linear",
                    "params": {"outFeatures": shape[-1]},
                    "inputs": [operands.pop()],
                }
            )
            operands.append(f"context_{i}")
    if mask:
        components.append({"id": "mask", "type": "input", "params": {"shape": mask}})
        operands.append("mask")
    components += sides
    operands += [side["id"] for side in sides]
    components += [
        {"id": "layer", "type": kind, "params": params, "inputs": operands},
        {"id": "result", "type": "output", "inputs": ["layer"]},
    ]
    return {"id": "options", "name": kind, "components": components}


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    number = 0
    for kind, options, *rest in TABLE:
        shapes, sides, mask = (*rest, *([TOKENS], [], None)[len(rest) :])
        heads = (
            HEADS if "ttention" in kind or kind in ("mla", "transformerBlock") else {}
        )
        for values in itertools.product(*options.values()):
            params = heads | dict(zip(options, values, strict=True))
            text = json.dumps(graph(kind, params, shapes, sides, mask))
            (folder / f"{kind}-{number}.json").write_text(text)
            number += 1


if __name__ == "__main__":
    main(Path(sys.argv[1]))
