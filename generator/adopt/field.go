package adopt

import (
	"fmt"
	"slices"
	"strings"
)

// A Kind says what a field of a configuration holds.
type Kind string

// The kinds of fields.
const (
	Count  Kind = "count"  // a whole number of at least 0
	Number Kind = "number" // a number of at least 0
	Flag   Kind = "flag"
	Word   Kind = "word"
	List   Kind = "list"
	Object Kind = "object"
	Any    Kind = "any" // what the family reads by itself
)

// A Field is a field of config.json that a document depends on.
type Field struct {
	Name string
	// Also are other names for it, of older files or of common use.
	Also []string
	Kind Kind
	// Required fields have no default that could be meant: the sizes. One that has
	// a Default all the same, within an object, may be left out and is not null.
	Required bool
	// Default is that of the configuration class: int64, float64, bool or string;
	// nil where it is null, which says that the value follows from others or that
	// there is none.
	Default any
	// Max is the largest count; 0 for that of any size.
	Max int64
	// Words are those that a word can be; empty for any.
	Words []string
	Doc   string
}

// field is a family's field of a name, nil if it has none.
func (f *Family) field(name string) *Field {
	i := slices.IndexFunc(f.Fields, func(f Field) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return &f.Fields[i]
}

// declares reports whether a name is that of a field, or another name for one.
func (f *Family) declares(name string) bool {
	return slices.ContainsFunc(f.Fields, func(f Field) bool { return f.Name == name || slices.Contains(f.Also, name) })
}

func (f *Field) required() bool { return f != nil && f.Required }

// nullable reports whether null says something: that there is none. For flags and
// words it says no more than leaving the field out.
func (f *Field) nullable() bool { return (f.Kind == Count || f.Kind == Number) && !f.Required }

// limit is the largest number that a count can be.
func (f *Field) limit() int64 {
	if f.Max > 0 {
		return f.Max
	}
	return maxSize
}

// expects is what a field must be, for messages.
func (f *Field) expects() string {
	switch f.Kind {
	case Count:
		return fmt.Sprintf("%s: a whole number from 1 to %d", f.Doc, f.limit())
	case Number:
		return fmt.Sprintf("%s: a number of at least 0", f.Doc)
	case Flag:
		return fmt.Sprintf("true or false: %s", f.Doc)
	case Word:
		if len(f.Words) > 0 {
			return fmt.Sprintf("%s: one of %s", f.Doc, strings.Join(f.Words, ", "))
		}
		return f.Doc + ": a text"
	case List:
		return f.Doc + ": a list"
	case Any:
		return f.Doc
	}
	return f.Doc + ": an object"
}

// size is a field that every configuration must have.
func size(name, doc string, also ...string) Field {
	return Field{Name: name, Also: also, Kind: Count, Required: true, Doc: doc}
}

// depth is the number of layers.
func depth(name string, also ...string) Field {
	return Field{Name: name, Also: also, Kind: Count, Required: true, Max: maxLayers, Doc: "layers in a row"}
}

// ratio is one width as a multiple of another.
func ratio(name string, class int64, doc string) Field {
	return Field{Name: name, Kind: Count, Default: class, Max: 1000, Doc: doc}
}

// count is a number of things; 0 stands for null.
func count(name string, class int64, doc string, also ...string) Field {
	f := Field{Name: name, Also: also, Kind: Count, Doc: doc}
	if class > 0 {
		f.Default = class
	}
	return f
}

func number(name string, class float64, doc string, also ...string) Field {
	return Field{Name: name, Also: also, Kind: Number, Default: class, Doc: doc}
}

func flag(name string, class bool, doc string) Field {
	return Field{Name: name, Kind: Flag, Default: class, Doc: doc}
}

func word(name, class, doc string, of ...string) Field {
	return Field{Name: name, Kind: Word, Default: class, Doc: doc, Words: of}
}

func series(name, doc string) Field { return Field{Name: name, Kind: List, Doc: doc} }

func object(name, doc string) Field { return Field{Name: name, Kind: Object, Doc: doc} }

// fields joins lists of fields; of two with one name the later stands.
func fields(lists ...[]Field) (all []Field) {
	for _, l := range lists {
		for _, f := range l {
			if i := slices.IndexFunc(all, func(g Field) bool { return g.Name == f.Name }); i >= 0 {
				all[i] = f
				continue
			}
			all = append(all, f)
		}
	}
	return all
}

// harmless are fields of any configuration that change neither weights nor
// mathematics: what concerns training, generation, tasks and files.
var harmless = []string{
	"model_type", "architectures", "auto_map", "transformers_version", "_name_or_path", "torch_dtype", "dtype",
	"_attn_implementation_autoset", "_commit_hash", "name_or_path", "torchscript", "return_dict", "output_attentions", "output_hidden_states",
	"bos_token_id", "eos_token_id", "pad_token_id", "unk_token_id", "sep_token_id", "cls_token_id", "mask_token_id", "decoder_start_token_id", "image_token_id",
	"use_cache", "cache_implementation", "gradient_checkpointing", "pretraining_tp", "chunk_size_feed_forward", "is_encoder_decoder",
	"initializer_range", "initializer_factor", "init_std", "init_device", "initializer", "embedding_initializer_range",
	"attention_dropout", "hidden_dropout", "resid_pdrop", "embd_pdrop", "emb_pdrop", "attn_pdrop", "dropout", "activation_dropout", "attention_probs_dropout_prob", "hidden_dropout_prob",
	"resid_dropout", "embed_dropout", "embedding_dropout", "residual_dropout", "classifier_dropout", "classifier_dropout_prob", "layerdrop", "qa_dropout", "seq_classif_dropout", "ffn_dropout", "attn_dropout",
	"summary_type", "summary_use_proj", "summary_activation", "summary_proj_to_labels", "summary_first_dropout", "summary_last_dropout",
	"id2label", "label2id", "num_labels", "problem_type", "task_specific_params", "finetuning_task", "tokenizer_class",
	"output_router_logits", "router_aux_loss_coef", "router_z_loss_coef", "aux_loss_alpha", "seq_aux", "router_jitter_noise", "input_jitter_noise", "ep_size",
	"attention_softmax_in_fp32", "scale_attention_softmax_in_fp32", "reorder_and_upcast_attn", "slow_but_exact", "use_flash_attn", "residual_in_fp32", "memory_efficient_attention",
	"add_cross_attention", "is_decoder", "cross_attention_hidden_size", "attn_implementation", "_attn_implementation", "masked_softmax_fusion", "bias_dropout_fusion", "skip_bias_add", "skip_bias_add_qkv",
	"temperature", "top_k", "top_p", "do_sample", "max_length", "min_length", "repetition_penalty", "length_penalty", "num_beams", "use_bfloat16", "tie_encoder_decoder",
	"typical_p", "diversity_penalty", "early_stopping", "num_beam_groups", "num_return_sequences", "no_repeat_ngram_size", "encoder_no_repeat_ngram_size", "bad_words_ids", "suppress_tokens", "begin_suppress_tokens",
	"forced_bos_token_id", "forced_eos_token_id", "exponential_decay_length_penalty", "remove_invalid_values", "return_dict_in_generate", "output_scores", "prefix", "pruned_heads", "tf_legacy_loss",
}

// harmlessParts are such fields of objects within a configuration.
var harmlessParts = []string{
	"attn_impl", "attn_pdrop", "attn_uses_sequence_id", "moe_loss_weight", "moe_jitter_eps", "uniform_expert_assignment",
}
