import { pagePolicy } from '../http/page-policy.ts';

/** For paper: black on white, one column, and nothing that is split between two pages without need. */
export const paperStyle = `
:root { color-scheme: light; }
body { margin: 0 auto; padding: 1rem; max-width: 44rem; background: #fff; color: #000; overflow-wrap: anywhere;
  font: 15px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; }
h2 { font-size: 1.15rem; margin: 1.5rem 0 .5rem; }
h3 { font-size: 1rem; margin: 1rem 0 .25rem; }
table { border-collapse: collapse; width: 100%; }
th, td { border-bottom: 1px solid #bbb; padding: .3rem .5rem .3rem 0; text-align: left; vertical-align: top; }
th[scope=row] { width: 13rem; font-weight: 600; }
.sum { text-align: right; white-space: nowrap; }
thead { display: table-header-group; }
article { border: 1px solid #bbb; padding: 0 1rem 1rem; }
@page { margin: 2cm; }
@media print { body { padding: 0; max-width: none; } tr, li, p { break-inside: avoid; } h2, h3 { break-after: avoid; } }
`;

/** The policy of a document: no scripts, no network requests, no frames. */
export const documentPolicy = pagePolicy({ inlineStyle: paperStyle, hasForms: false });
