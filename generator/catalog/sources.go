package catalog

// Sources are the addresses that the note of an entry names: paper, code,
// checkpoint. Exported code says where its model comes from by them.
func (e *Entry) Sources() (list []string) {
	if e.Note == nil {
		return nil
	}
	for _, l := range e.Note.Links {
		list = append(list, l.URL)
	}
	return list
}
