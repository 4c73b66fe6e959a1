package cost

// A Card is an accelerator, by its vendor's data sheet.
type Card struct {
	Name      string  `json:"name"`
	Memory    int64   `json:"memory_bytes"`               // as sold, in decimal gigabytes
	FLOPs     float64 `json:"bf16_flops_per_second"`      // dense 16-bit tensor peak with 32-bit accumulation
	Bandwidth float64 `json:"bandwidth_bytes_per_second"` // of its memory
	Source    string  `json:"source"`                     // the data sheet
	Note      string  `json:"note,omitempty"`             // what to know about a figure
}

const (
	gigabyte = 1_000_000_000
	tera     = 1e12
)

// Cards lists the cards that fits are told for, smallest first.
var Cards = []Card{
	{Name: "T4 16GB", Memory: 16 * gigabyte, FLOPs: 65 * tera, Bandwidth: 0.320 * tera, Source: "NVIDIA T4 data sheet", Note: "has no bf16; the peak is that of fp16"},
	{Name: "L4 24GB", Memory: 24 * gigabyte, FLOPs: 121 * tera, Bandwidth: 0.300 * tera, Source: "NVIDIA L4 data sheet"},
	{Name: "RTX 4090 24GB", Memory: 24 * gigabyte, FLOPs: 165.2 * tera, Bandwidth: 1.008 * tera, Source: "NVIDIA Ada GPU Architecture, appendix A"},
	{Name: "RTX 5090 32GB", Memory: 32 * gigabyte, FLOPs: 209.5 * tera, Bandwidth: 1.792 * tera, Source: "NVIDIA RTX Blackwell GPU Architecture, appendix A"},
	{Name: "A100 40GB", Memory: 40 * gigabyte, FLOPs: 312 * tera, Bandwidth: 1.555 * tera, Source: "NVIDIA A100 data sheet"},
	{Name: "L40S 48GB", Memory: 48 * gigabyte, FLOPs: 362 * tera, Bandwidth: 0.864 * tera, Source: "NVIDIA L40S data sheet"},
	{Name: "A100 80GB", Memory: 80 * gigabyte, FLOPs: 312 * tera, Bandwidth: 2.039 * tera, Source: "NVIDIA A100 data sheet", Note: "the SXM module"},
	{Name: "H100 80GB", Memory: 80 * gigabyte, FLOPs: 989 * tera, Bandwidth: 3.35 * tera, Source: "NVIDIA H100 data sheet", Note: "the SXM module"},
	{Name: "H200 141GB", Memory: 141 * gigabyte, FLOPs: 989 * tera, Bandwidth: 4.8 * tera, Source: "NVIDIA H200 data sheet", Note: "the SXM module"},
	{Name: "B200 192GB", Memory: 192 * gigabyte, FLOPs: 2250 * tera, Bandwidth: 8 * tera, Source: "NVIDIA Blackwell data sheet", Note: "DGX and HGX B200 systems give 180 GB of it"},
	{Name: "MI300X 192GB", Memory: 192 * gigabyte, FLOPs: 1307.4 * tera, Bandwidth: 5.3 * tera, Source: "AMD Instinct MI300X data sheet"},
}

// LookupCard finds a card by its name.
func LookupCard(name string) (Card, bool) {
	for _, c := range Cards {
		if c.Name == name {
			return c, true
		}
	}
	return Card{}, false
}

func cardNames() []string {
	names := make([]string, len(Cards))
	for i, c := range Cards {
		names[i] = c.Name
	}
	return names
}
