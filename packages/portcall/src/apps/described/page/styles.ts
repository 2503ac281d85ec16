/** The styles of the page, by the variables of the host. */

/** The colors of series, in light and in dark: each has a contrast of 3 : 1 on the background. */
const SERIES = [
  ['#2563c9', '#6ea3ff'],
  ['#c2570c', '#f59a55'],
  ['#0f7b53', '#4fc795'],
  ['#8b3fc4', '#c08bf0'],
  ['#b5295b', '#f27ba4'],
  ['#0d7490', '#4cc3de'],
  ['#7a6400', '#d9bd3c'],
  ['#57534e', '#b3ada6'],
] as const

const series = SERIES.map(([light, dark], index) => `.s${index}{--color:light-dark(${light},${dark})}`).join('')

/** The style sheet. */
export const STYLES: string = `
*{box-sizing:border-box}
body{background:transparent}
main{padding:16px;display:grid;grid-template-columns:minmax(0,1fr);gap:14px}
h1{margin:0;font-size:var(--font-heading-md-size);line-height:var(--font-heading-md-line-height);font-weight:var(--font-weight-semibold)}
section{display:grid;grid-template-columns:minmax(0,1fr);gap:14px;min-width:0}
p{margin:0}
fieldset{margin:0;padding:0;border:0;min-width:0}
.hidden{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap}
.prompt{color:var(--color-text-secondary);font-size:var(--font-text-md-size);line-height:var(--font-text-md-line-height);max-width:65ch;white-space:pre-line;overflow-wrap:anywhere}
.empty{padding:24px 12px;text-align:center;color:var(--color-text-tertiary);font-size:var(--font-text-sm-size)}
button{min-height:44px;padding:0 18px;border:1px solid var(--color-border-primary);border-radius:var(--border-radius-md);background:var(--color-background-primary);color:var(--color-text-primary);font-size:var(--font-text-sm-size);font-weight:var(--font-weight-medium);cursor:pointer}
button:hover:enabled{background:var(--color-background-secondary)}
button.primary{background:var(--color-background-inverse);color:var(--color-text-inverse);border-color:transparent}
button.danger{background:light-dark(#b42318,#ffa198);color:light-dark(#fff,#1a1a1d);border-color:transparent}
button:is(.primary,.danger):hover:enabled{opacity:.88}
button:disabled{cursor:default;opacity:.5}
.status:not(:empty){padding:12px 14px;border-radius:var(--border-radius-md);font-size:var(--font-text-sm-size);line-height:var(--font-text-sm-line-height);white-space:pre-line;overflow-wrap:anywhere}
.status:empty{display:none}
.done{color:var(--color-text-success);background:var(--color-background-success)}
.failed{color:var(--color-text-danger);background:var(--color-background-danger)}
.quiet{color:var(--color-text-secondary);background:var(--color-background-secondary)}

.bar{display:flex;flex-wrap:wrap;gap:8px 16px;align-items:center;justify-content:space-between}
.count{color:var(--color-text-tertiary);font-size:var(--font-text-sm-size);font-variant-numeric:tabular-nums}
input:not([type=checkbox]),textarea,select{width:100%;min-height:44px;padding:9px 12px;font-size:1rem;border:1px solid var(--color-text-tertiary);border-radius:var(--border-radius-md);background:var(--color-background-primary);color:var(--color-text-primary)}
.search{flex:1 1 200px;max-width:340px}
.scroll{overflow-x:auto;border:1px solid var(--color-border-primary);border-radius:var(--border-radius-md);background:var(--color-background-primary)}
table{border-collapse:separate;border-spacing:0;width:100%;font-size:var(--font-text-sm-size);line-height:var(--font-text-sm-line-height)}
th,td{padding:10px 14px;text-align:left;vertical-align:top;border-bottom:1px solid var(--color-border-secondary);font-weight:var(--font-weight-normal);max-width:36ch;overflow-wrap:break-word}
tbody tr:last-child>*{border-bottom:0}
tbody th{font-weight:var(--font-weight-medium);color:var(--color-text-primary)}
td{color:var(--color-text-secondary)}
td.date{white-space:nowrap}
.number{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
thead th{padding:0;white-space:nowrap;border-color:var(--color-border-primary);background:var(--color-background-secondary);color:var(--color-text-secondary);font-weight:var(--font-weight-medium)}
thead th>span{display:flex;align-items:center;min-height:44px;padding:0 14px}
thead th.number>span{justify-content:end}
thead button{width:100%;border:0;border-radius:0;background:transparent;padding:0 14px;text-align:left;color:inherit;white-space:nowrap}
thead .number button{text-align:right}
thead button:focus-visible{outline-offset:-2px}
thead button::after{content:"";display:inline-block;width:1em;text-align:center;margin-left:2px}
thead .number button::after{margin-right:-1em}
thead [aria-sort=ascending] button::after{content:"↑"}
thead [aria-sort=descending] button::after{content:"↓"}
thead [aria-sort=ascending],thead [aria-sort=descending]{color:var(--color-text-primary)}
.badge{display:inline-block;padding:1px 9px;border-radius:var(--border-radius-full);background:var(--color-background-tertiary);color:var(--color-text-primary);font-size:var(--font-text-xs-size);line-height:1.6;white-space:nowrap}
a{color:var(--color-text-info)}
.pager{display:flex;gap:12px;align-items:center;justify-content:end;font-size:var(--font-text-sm-size);color:var(--color-text-secondary);font-variant-numeric:tabular-nums}
.pager span{white-space:nowrap}
.pager[hidden]{display:none}
@media (max-width:479px){.search{max-width:none}.pager{justify-content:space-between}.pager button{padding:0 12px}th,td{padding:10px 12px;min-width:86px}tbody th{position:sticky;left:0;background:var(--color-background-primary);border-right:1px solid var(--color-border-secondary)}}

.plot{min-height:40px}
svg{display:block;max-width:100%;overflow:visible}
svg text{fill:var(--color-text-tertiary);font-size:12px;font-variant-numeric:tabular-nums}
.grid{stroke:var(--color-border-secondary)}
.axis{stroke:var(--color-text-tertiary)}
rect,circle,.pie path{fill:var(--color)}
.line{fill:none;stroke:var(--color);stroke-width:2.25;stroke-linejoin:round;stroke-linecap:round}
circle{stroke:var(--color-background-primary);stroke-width:1.5}
.pie path{stroke:var(--color-background-primary);stroke-width:1.5}
rect:hover,circle:hover,.pie path:hover{opacity:.8}
.pie{display:flex;flex-wrap:wrap;gap:16px 32px;align-items:center;justify-content:center}
.legend{list-style:none;margin:0;padding:0;display:flex;flex-wrap:wrap;gap:6px 18px;font-size:var(--font-text-sm-size);color:var(--color-text-secondary)}
.legend.column{display:grid;flex:1 1 200px;max-width:360px}
.legend li{display:flex;gap:8px;align-items:baseline}
.legend li::before{content:"";flex:none;width:10px;height:10px;border-radius:3px;background:var(--color)}
.legend .value{margin-left:auto;color:var(--color-text-primary);font-variant-numeric:tabular-nums;white-space:nowrap}
details{font-size:var(--font-text-sm-size)}
summary{min-height:44px;display:flex;align-items:center;gap:8px;color:var(--color-text-secondary);cursor:pointer;width:fit-content;border-radius:var(--border-radius-sm)}
summary::before{content:"▸"}
[open]>summary::before{content:"▾"}
details thead th{padding:10px 14px}
details thead th,details thead td{background:none}

.fields{display:grid;gap:16px;max-width:560px}
.field{display:grid;gap:6px}
.field>label,.field>legend{padding:0;font-size:var(--font-text-sm-size);font-weight:var(--font-weight-medium)}
.field>legend{margin-bottom:2px}
.optional,.help{font-weight:var(--font-weight-normal);color:var(--color-text-tertiary)}
.help,.fault{font-size:var(--font-text-sm-size);line-height:var(--font-text-sm-line-height)}
.fault{color:var(--color-text-danger)}
.fault:empty{display:none}
textarea{min-height:88px;resize:vertical}
[aria-invalid=true]{border-color:var(--color-text-danger)!important}
.flag,.check{display:flex;gap:10px;align-items:center;min-height:44px;cursor:pointer}
input[type=checkbox]{flex:none;width:20px;height:20px;margin:0;accent-color:var(--color-text-primary)}
.flags{display:flex;flex-wrap:wrap;gap:0 24px}
.fields>button{justify-self:start;min-width:140px}
@media (min-width:520px){.fields{grid-template-columns:repeat(2,minmax(0,1fr));align-items:start}.fields>.wide,.fields>button{grid-column:1/-1}}

.choices{display:grid;gap:8px;max-width:560px}
.option{display:grid;gap:2px;width:100%;min-height:52px;padding:10px 16px;align-content:center;text-align:left;border:1px solid var(--color-border-primary);border-radius:var(--border-radius-md);background:var(--color-background-primary);overflow-wrap:anywhere}
.option.check{display:flex;gap:12px;align-items:center}
.option>span{display:grid;gap:2px}
.option strong{font-size:var(--font-text-sm-size);font-weight:var(--font-weight-medium)}
.option small{font-size:var(--font-text-sm-size);line-height:var(--font-text-sm-line-height);font-weight:var(--font-weight-normal);color:var(--color-text-tertiary)}
.option.chosen,.option:has(:checked){border-color:var(--color-text-primary);box-shadow:inset 0 0 0 1px var(--color-text-primary)}
.option.chosen:disabled,:disabled>.option.chosen{opacity:1}
.choices>.primary{justify-self:start;min-width:140px;margin-top:4px}

dl{margin:0;border:1px solid var(--color-border-primary);border-radius:var(--border-radius-md);background:var(--color-background-primary);max-width:560px}
dl>div{display:grid;grid-template-columns:minmax(90px,1fr) 2fr;gap:4px 16px;padding:10px 14px;border-bottom:1px solid var(--color-border-secondary);font-size:var(--font-text-sm-size);line-height:var(--font-text-sm-line-height)}
dl>div:last-child{border-bottom:0}
dt{color:var(--color-text-tertiary)}
dd{margin:0;overflow-wrap:anywhere;white-space:pre-line}
.actions{display:flex;flex-wrap:wrap;gap:8px;max-width:560px}
.actions button{min-width:140px}
@media (max-width:419px){.actions button,.fields>button,.choices>.primary{flex:1 1 100%;width:100%}}
${series}
`
