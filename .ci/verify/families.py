"""The reference implementations that exported code is compared with.

Each family is a graph, generator/export/testdata/families/<name>.json, that says what
the reference of the same name is. The reference is built small and random; its state
dict has to load strictly into the exported module, and the outputs have to agree.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
import transformers as hf
from torch import Tensor, nn
from torchvision import models
from torchvision.models.convnext import CNBlockConfig
from torchvision.models.resnet import BasicBlock, Bottleneck
from torchvision.models.swin_transformer import ShiftedWindowAttention
from torchvision.models.vgg import make_layers

Inputs = tuple[Tensor, ...]
Outputs = tuple[Tensor, ...]


@dataclass(frozen=True)
class Family:
    """A reference: how it is made, what it reads, and what of its result counts."""

    build: Callable[[], nn.Module]
    inputs: Callable[[], Inputs]
    outputs: Callable[[nn.Module, Inputs], Outputs]
    state: Callable[[nn.Module], dict[str, Tensor]] = nn.Module.state_dict


VOCABULARY = 64
SEQUENCE = (2, 16)  # batch, tokens


def ids() -> Inputs:
    return (torch.randint(VOCABULARY, SEQUENCE),)


def image(side: int) -> Callable[[], Inputs]:
    return lambda: (torch.randn(2, 3, side, side),)


def plain(model: nn.Module, inputs: Inputs) -> Outputs:
    """The result of a model that yields one tensor."""
    return (model(*inputs),)


def torchvision(build: Callable[[], nn.Module], side: int) -> Family:
    return Family(build, image(side), plain)


def language(model: type, config: type, **options: object) -> Family:
    """A language model of Hugging Face's; its logits count."""
    defaults = {
        "vocab_size": VOCABULARY,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "pad_token_id": 0,
        "bos_token_id": 1,
        "eos_token_id": 2,
        "attn_implementation": "eager",
    }
    return Family(
        lambda: model(config(**(defaults | options))),
        ids,
        lambda m, x: (m(x[0], use_cache=False).logits,),
    )


def hidden(model: type, config: type, **options: object) -> Family:
    """An encoder of Hugging Face's; its last hidden states count."""
    defaults = {
        "vocab_size": VOCABULARY,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "attn_implementation": "eager",
    }
    return Family(
        lambda: model(config(**(defaults | options))),
        ids,
        lambda m, x: (m(x[0]).last_hidden_state,),
    )


class Attention(nn.Module):
    """One attention layer, under the name that its graph gives it."""

    def __init__(self, attention: nn.Module) -> None:
        super().__init__()
        self.attention = attention


def rope(theta: float = 10000.0, kind: str = "default", **options: float) -> dict:
    return {"rope_theta": theta, "rope_type": kind} | options


def swin_state(model: nn.Module) -> dict[str, Tensor]:
    """The index of torchvision's windows as [tokens, tokens]; torchvision flattens it."""
    state = model.state_dict()
    index = state["attention.relative_position_index"]
    side = round(index.numel() ** 0.5)
    state["attention.relative_position_index"] = index.view(side, side)
    return state


def pooled(model: nn.Module, inputs: Inputs) -> Outputs:
    """The hidden states and the pooled one of tokens, with their segments if any."""
    segments = {"token_type_ids": inputs[1]} if len(inputs) > 1 else {}
    result = model(inputs[0], **segments)
    return result.last_hidden_state, result.pooler_output


def pair(model: type, config: type, **options: object) -> Family:
    """An encoder and a decoder of Hugging Face's; the logits count."""
    defaults = {
        "vocab_size": VOCABULARY,
        "d_model": 32,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "encoder_ffn_dim": 48,
        "decoder_ffn_dim": 40,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 2,
        "pad_token_id": 0,
        "bos_token_id": 0,
        "eos_token_id": 0,
        "decoder_start_token_id": 0,
        "attn_implementation": "eager",
    }
    return Family(
        lambda: model(config(**(defaults | options))),
        lambda: (*ids(), *ids()),
        lambda m, x: (m(x[0], decoder_input_ids=x[1], use_cache=False).logits,),
    )


def wave(model: type, config: type, **options: object) -> Family:
    """An encoder of sounds of Hugging Face's; its last hidden states count."""
    defaults = {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "conv_dim": (16, 24),
        "conv_kernel": (10, 3),
        "conv_stride": (5, 2),
        "num_conv_pos_embeddings": 8,
        "num_conv_pos_embedding_groups": 4,
        "attn_implementation": "eager",
    }
    return Family(
        lambda: model(config(**(defaults | options))),
        lambda: (torch.randn(2, 800),),
        lambda m, x: (m(x[0]).last_hidden_state,),
    )


def deberta(**options: object) -> Family:
    """A DeBERTa whose scores know of distances; its last hidden states count."""
    defaults = {
        "vocab_size": VOCABULARY,
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "max_position_embeddings": 24,
        "relative_attention": True,
        "pos_att_type": ["p2c", "c2p"],
        "type_vocab_size": 2,
    }
    return Family(
        lambda: hf.DebertaV2Model(hf.DebertaV2Config(**(defaults | options))),
        lambda: (*ids(), torch.randint(2, SEQUENCE)),
        lambda m, x: (m(x[0], token_type_ids=x[1]).last_hidden_state,),
    )


def cross_outputs(model: nn.Module, inputs: Inputs) -> Outputs:
    x, context, mask = inputs
    return (
        model.attention(x, context, context, attn_mask=mask, need_weights=False)[0],
    )


GQA = {"num_key_value_heads": 2}

FAMILIES = {
    # torchvision
    "resnet-basic": torchvision(
        lambda: models.ResNet(BasicBlock, [2, 1, 1, 1], num_classes=10), 64
    ),
    "resnet-bottleneck": torchvision(
        lambda: models.ResNet(Bottleneck, [2, 1, 1, 1], num_classes=10), 64
    ),
    "vgg": torchvision(
        lambda: models.VGG(make_layers([8, "M", 512, "M"]), num_classes=10), 32
    ),
    "mobilenet-v2": torchvision(
        lambda: models.MobileNetV2(
            num_classes=10,
            width_mult=0.25,
            inverted_residual_setting=[[1, 16, 1, 1], [6, 24, 2, 2]],
        ),
        32,
    ),
    "densenet": torchvision(lambda: models.DenseNet(8, (2, 2), 16, num_classes=10), 64),
    "convnext": torchvision(
        lambda: models.ConvNeXt(
            [CNBlockConfig(16, 32, 1), CNBlockConfig(32, None, 1)], num_classes=10
        ),
        32,
    ),
    "torchvision-vit": torchvision(
        lambda: models.VisionTransformer(
            image_size=32,
            patch_size=8,
            num_layers=2,
            num_heads=4,
            hidden_dim=32,
            mlp_dim=64,
            num_classes=10,
        ),
        32,
    ),
    # transformers
    "llama": language(
        hf.LlamaForCausalLM,
        hf.LlamaConfig,
        **GQA,
        rope_parameters=rope(
            500000.0,
            "llama3",
            factor=4.0,
            low_freq_factor=1.0,
            high_freq_factor=4.0,
            original_max_position_embeddings=64,
        ),
    ),
    "mistral": language(
        hf.MistralForCausalLM, hf.MistralConfig, **GQA, sliding_window=4
    ),
    "qwen2": language(hf.Qwen2ForCausalLM, hf.Qwen2Config, **GQA),
    "qwen3": language(
        hf.Qwen3ForCausalLM,
        hf.Qwen3Config,
        **GQA,
        head_dim=16,
        rope_parameters=rope(1000000.0),
    ),
    "phi3": language(hf.Phi3ForCausalLM, hf.Phi3Config, **GQA),
    "gemma": language(
        hf.GemmaForCausalLM, hf.GemmaConfig, num_key_value_heads=1, head_dim=16
    ),
    "gpt2": language(
        hf.GPT2LMHeadModel, hf.GPT2Config, n_positions=16, intermediate_size=None
    ),
    "gpt-neox": language(
        hf.GPTNeoXForCausalLM, hf.GPTNeoXConfig, num_attention_heads=2
    ),
    "mixtral": language(
        hf.MixtralForCausalLM, hf.MixtralConfig, **GQA, num_local_experts=4
    ),
    "bert": Family(
        lambda: hf.BertModel(
            hf.BertConfig(
                vocab_size=VOCABULARY,
                hidden_size=32,
                intermediate_size=48,
                num_hidden_layers=2,
                num_attention_heads=4,
                max_position_embeddings=16,
            )
        ),
        lambda: (*ids(), torch.randint(2, SEQUENCE)),
        pooled,
    ),
    "vit": Family(
        lambda: hf.ViTForImageClassification(
            hf.ViTConfig(
                hidden_size=32,
                intermediate_size=48,
                num_hidden_layers=2,
                num_attention_heads=4,
                image_size=16,
                patch_size=4,
                num_labels=10,
            )
        ),
        image(16),
        lambda m, x: (m(x[0]).logits,),
    ),
    "mamba": language(
        hf.MambaForCausalLM, hf.MambaConfig, state_size=4, intermediate_size=64
    ),
    # what else attention, experts and state spaces can do
    "bloom": language(
        hf.BloomForCausalLM, hf.BloomConfig, hidden_size=48, num_attention_heads=6
    ),
    "deepseek-v3": language(
        hf.DeepseekV3ForCausalLM,
        hf.DeepseekV3Config,
        num_key_value_heads=4,
        moe_intermediate_size=24,
        num_local_experts=8,
        num_experts_per_tok=2,
        n_group=4,
        topk_group=2,
        first_k_dense_replace=1,
        q_lora_rank=16,
        kv_lora_rank=12,
        qk_rope_head_dim=8,
        qk_nope_head_dim=16,
        v_head_dim=16,
        n_shared_experts=1,
        rope_parameters=rope(
            kind="yarn",
            factor=4.0,
            original_max_position_embeddings=8,
            beta_fast=4.0,
            mscale=1.0,
            mscale_all_dim=1.0,
        ),
    ),
    "falcon": language(
        hf.FalconForCausalLM,
        hf.FalconConfig,
        num_kv_heads=2,
        new_decoder_architecture=True,
    ),
    "gemma2": language(
        hf.Gemma2ForCausalLM,
        hf.Gemma2Config,
        **GQA,
        head_dim=8,
        query_pre_attn_scalar=16,
        attn_logit_softcapping=5.0,
        final_logit_softcapping=0.5,
        sliding_window=4,
    ),
    "gemma3": language(
        hf.Gemma3ForCausalLM,
        hf.Gemma3TextConfig,
        **GQA,
        head_dim=8,
        query_pre_attn_scalar=16,
        sliding_window=4,
        layer_types=["sliding_attention", "full_attention"],
        rope_parameters={
            "sliding_attention": rope(),
            "full_attention": rope(1000000.0, "linear", factor=8.0),
        },
    ),
    "gpt-oss": language(
        hf.GptOssForCausalLM,
        hf.GptOssConfig,
        **GQA,
        head_dim=8,
        num_local_experts=4,
        num_experts_per_tok=2,
        sliding_window=4,
        layer_types=["sliding_attention"] * 2,
        rope_parameters=rope(
            150000.0, "yarn", factor=32.0, original_max_position_embeddings=16
        ),
    ),
    "jamba": language(
        hf.JambaForCausalLM,
        hf.JambaConfig,
        **GQA,
        num_experts=4,
        num_experts_per_tok=2,
        expert_layer_period=2,
        expert_layer_offset=1,
        attn_layer_period=2,
        attn_layer_offset=1,
        mamba_d_state=4,
        use_mamba_kernels=False,
    ),
    "modernbert": hidden(
        hf.ModernBertModel,
        hf.ModernBertConfig,
        local_attention=4,
        global_attn_every_n_layers=2,
        pad_token_id=0,
        bos_token_id=0,
        eos_token_id=0,
        cls_token_id=0,
        sep_token_id=0,
    ),
    "olmo2": language(
        hf.Olmo2ForCausalLM,
        hf.Olmo2Config,
        **GQA,
        max_position_embeddings=8,
        rms_norm_eps=1e-6,
        rope_parameters=rope(kind="dynamic", factor=2.0),
    ),
    "qwen2-moe": language(
        hf.Qwen2MoeForCausalLM,
        hf.Qwen2MoeConfig,
        **GQA,
        moe_intermediate_size=24,
        shared_expert_intermediate_size=40,
        num_experts=4,
        num_experts_per_tok=2,
        norm_topk_prob=False,
    ),
    "mamba2": language(
        hf.Mamba2ForCausalLM,
        hf.Mamba2Config,
        state_size=4,
        num_heads=8,
        head_dim=8,
        n_groups=2,
    ),
    "rwkv": language(hf.RwkvForCausalLM, hf.RwkvConfig, attention_hidden_size=24),
    "dbrx": Family(
        lambda: hf.DbrxForCausalLM(
            hf.DbrxConfig(
                vocab_size=VOCABULARY,
                d_model=32,
                n_heads=4,
                n_layers=2,
                max_seq_len=16,
                attn_config={"clip_qkv": 0.5, "kv_n_heads": 2, "rope_theta": 500000},
                ffn_config={
                    "ffn_hidden_size": 24,
                    "moe_num_experts": 4,
                    "moe_top_k": 2,
                },
                rope_parameters=rope(500000.0),
            )
        ),
        ids,
        lambda m, x: (m(x[0], use_cache=False).logits,),
    ),
    # factors, bounds, and rows for no position
    "granite": language(
        hf.GraniteForCausalLM,
        hf.GraniteConfig,
        **GQA,
        embedding_multiplier=12.0,
        attention_multiplier=0.25,
        residual_multiplier=0.5,
        logits_scaling=4.0,
    ),
    "cohere": language(hf.CohereForCausalLM, hf.CohereConfig, **GQA, logit_scale=0.25),
    "olmo": language(hf.OlmoForCausalLM, hf.OlmoConfig, **GQA, clip_qkv=0.1),
    "opt": language(
        hf.OPTForCausalLM,
        hf.OPTConfig,
        ffn_dim=48,
        max_position_embeddings=16,
        word_embed_proj_dim=24,
    ),
    "roberta": Family(
        lambda: hf.RobertaModel(
            hf.RobertaConfig(
                vocab_size=VOCABULARY,
                hidden_size=32,
                intermediate_size=48,
                num_hidden_layers=2,
                num_attention_heads=4,
                max_position_embeddings=18,
                type_vocab_size=1,
                pad_token_id=1,
            )
        ),
        lambda: (torch.randint(2, VOCABULARY, SEQUENCE), torch.zeros(*SEQUENCE).long()),
        pooled,
    ),
    "t5": hidden(
        hf.T5EncoderModel,
        hf.T5Config,
        d_kv=8,
        d_ff=48,
        num_hidden_layers=1,
        relative_attention_num_buckets=8,
        relative_attention_max_distance=10,
    ),
    "t5-pair": pair(
        hf.T5ForConditionalGeneration,
        hf.T5Config,
        num_layers=2,
        num_heads=4,
        d_kv=12,
        d_ff=48,
        feed_forward_proj="gated-gelu",
        relative_attention_num_buckets=8,
        relative_attention_max_distance=10,
    ),
    "bart": pair(
        hf.BartForConditionalGeneration,
        hf.BartConfig,
        max_position_embeddings=16,
        scale_embedding=True,
    ),
    "marian": pair(
        hf.MarianMTModel,
        hf.MarianConfig,
        max_position_embeddings=16,
        scale_embedding=True,
        activation_function="swish",
    ),
    "whisper": replace(
        pair(
            hf.WhisperForConditionalGeneration,
            hf.WhisperConfig,
            num_mel_bins=8,
            max_source_positions=12,
            max_target_positions=16,
        ),
        inputs=lambda: (torch.randn(2, 8, 24), *ids()),
    ),
    "wav2vec2": wave(hf.Wav2Vec2Model, hf.Wav2Vec2Config),
    "hubert": wave(
        hf.HubertModel,
        hf.HubertConfig,
        feat_extract_norm="layer",
        do_stable_layer_norm=True,
        conv_bias=True,
        conv_pos_batch_norm=True,
    ),
    "mpnet": Family(
        lambda: hf.MPNetModel(
            hf.MPNetConfig(
                vocab_size=VOCABULARY,
                hidden_size=32,
                intermediate_size=48,
                num_hidden_layers=2,
                num_attention_heads=4,
                max_position_embeddings=18,
                pad_token_id=1,
            )
        ),
        lambda: (torch.randint(2, VOCABULARY, SEQUENCE),),  # 1 is the padding
        pooled,
    ),
    "deberta-v2": deberta(
        position_buckets=4,
        norm_rel_ebd="layer_norm",
        share_att_key=True,
        position_biased_input=False,
    ),
    "deberta-v2-own-keys": deberta(max_relative_positions=6, embedding_size=20),
    "cross-attention": Family(
        lambda: Attention(nn.MultiheadAttention(32, 4, batch_first=True)),
        lambda: (torch.randn(2, 8, 32), torch.randn(2, 12, 32), torch.randn(8, 12)),
        cross_outputs,
    ),
    "swin-attention": Family(
        lambda: Attention(ShiftedWindowAttention(32, [4, 4], [2, 2], 4)),
        lambda: (torch.randn(2, 10, 14, 32),),
        lambda m, x: (m.attention(x[0]),),
        swin_state,
    ),
}
