package layer

import (
	"strings"
	"unicode/utf8"
)

// Identifier makes a Python identifier of a step of a path, one that hides
// nothing of torch.nn.Module when it names an attribute. A step of digits
// alone stays: it is an index.
func Identifier(step string) string {
	if digitsOnly(step) {
		return step
	}
	s := strings.Map(func(r rune) rune { // which returns step itself where nothing changes
		if r < utf8.RuneSelf && isWord(byte(r)) {
			return r
		}
		return '_'
	}, step)
	if s == "" || strings.Trim(s, "_") == "" {
		s = "layer" + s
	}
	if strings.HasPrefix(s, "__") { // a class would mangle it, or Python knows it
		s = strings.TrimLeft(s, "_") + "_"
	} else if reserved[s] {
		s += "_"
	}
	if s[0] >= '0' && s[0] <= '9' {
		s = "_" + s
	}
	return s
}

func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_'
}

func digitsOnly(step string) bool { return step != "" && strings.Trim(step, "0123456789") == "" }

// reserved are Python's keywords, and the attributes of torch.nn.Module that a
// submodule of the same name would hide.
var reserved = wordSet(`
	False None True and as assert async await break class continue def del elif
	else except finally for from global if import in is lambda nonlocal not or
	pass raise return try while with yield

	T_destination _apply _backward_hooks _backward_pre_hooks _buffers _call_impl
	_compiled_call_impl _forward_hooks _forward_hooks_always_called
	_forward_hooks_with_kwargs _forward_pre_hooks _forward_pre_hooks_with_kwargs
	_get_backward_hooks _get_backward_pre_hooks _get_name _is_full_backward_hook
	_load_from_state_dict _load_state_dict_post_hooks _load_state_dict_pre_hooks
	_maybe_warn_non_full_backward_hook _modules _named_members
	_non_persistent_buffers_set _parameters _register_load_state_dict_pre_hook
	_register_state_dict_hook _replicate_for_data_parallel _save_to_state_dict
	_slow_forward _state_dict_hooks _state_dict_pre_hooks _version
	_wrapped_call_impl add_module apply bfloat16 buffers call_super_init children
	compile cpu cuda double dump_patches eval extra_repr float forward get_buffer
	get_extra_state get_parameter get_submodule half ipu load_state_dict modules
	mtia named_buffers named_children named_modules named_parameters parameters
	register_backward_hook register_buffer register_forward_hook
	register_forward_pre_hook register_full_backward_hook
	register_full_backward_pre_hook register_load_state_dict_post_hook
	register_load_state_dict_pre_hook register_module register_parameter
	register_state_dict_post_hook register_state_dict_pre_hook requires_grad_
	set_extra_state set_submodule share_memory state_dict to to_empty train
	training type xpu zero_grad`)

// containers are the attributes that ModuleDict and ParameterDict have beside.
var containers = wordSet(`_key_to_attr _keys clear copy fromkeys get items keys pop
	popitem setdefault update values`)

func wordSet(list string) map[string]bool {
	m := map[string]bool{}
	for _, s := range strings.Fields(list) {
		m[s] = true
	}
	return m
}

// DictKey reports whether a ModuleDict and a ParameterDict take a step of a
// path for a key: some names are attributes of their own.
func DictKey(step string) bool { return Identifier(step) == step && !containers[step] }
