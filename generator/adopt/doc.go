// Package adopt reads the config.json of a checkpoint on the Hugging Face Hub
// and writes the graph document that says the same model: its layers as blocks,
// with the checkpoint's own module names, tensor layouts and ties.
//
// One importer is one value of Family: the model types it reads, the fields of
// their configuration with the defaults of the configuration class, and the
// function that builds the document. All lists them.
//
// A field that is neither read nor known to be harmless is named in a warning:
// nothing that could change the model is passed over in silence. What a
// configuration says and a graph cannot say, such as the soft-capping of
// logits, is named in the same way.
package adopt
