import { METRICS } from './metrics.mjs'

/** What a target asks for, in words. */
function demand({ least, most, to, toCell, over, metric }) {
  const bound = least === undefined ? `at most ${most}` : `at least ${least}`
  if (to) return `${bound}× ${to === 'peers' ? 'the best peer' : to}`
  if (toCell) return `${bound}× what it is with ${toCell}`
  return `${bound} ${METRICS[metric].unit}${over ? ` more than ${over}` : ''}`
}

const shownFigure = ({ figure, target: { to, toCell } }) =>
  figure === undefined ? '' : `${Number(figure.toPrecision(3))}${to || toCell ? '×' : ''}`

const WORDS = { true: 'met', false: '**MISSED**', undefined: 'not measured' }

/** Verdicts as a table in Markdown. */
export function targetsTable(verdicts) {
  const lines = verdicts.map((verdict) => {
    const { target, group, cell, met } = verdict
    return `| ${group} | ${cell} | ${target.title} | ${demand(target)} | ${shownFigure(verdict)} | ${WORDS[met]} |`
  })
  return ['| group | cell | what | target | measured | |', '|---|---|---|---|--:|---|', ...lines].join('\n')
}
