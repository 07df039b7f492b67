/** The style of tables of figures. On a narrow screen each row of one with the class `cards` is a card. */
export const figuresStyle = `
table { width: 100%; margin: 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; color: var(--faint); font-size: .9rem; padding-bottom: .25rem; }
th { font-weight: 600; }
td.number, th.number { text-align: right; white-space: nowrap; overflow-wrap: normal; padding: .25rem .25rem; }
@media (max-width: 46rem) {
  table:not(.cards) { font-size: .8rem; }
  table:not(.cards) th, table:not(.cards) td { padding-right: .2rem; }
  th.number { font-size: .7rem; white-space: normal; }
  table:not(.cards) .number { padding-left: .2rem; }
  table.cards, table.cards caption, table.cards tbody, table.cards tr, table.cards th, table.cards td { display: block; }
  table.cards thead { position: absolute; left: -999em; }
  table.cards tr { border-bottom: 1px solid var(--line); padding: .5rem 0; }
  table.cards th, table.cards td { border: 0; padding: .1rem 0; text-align: left; white-space: normal; }
  table.cards td:empty { display: none; }
  table.cards td[data-label]::before { content: attr(data-label) ": "; color: var(--faint); }
}
`;
