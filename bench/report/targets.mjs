import { METRICS } from './metrics.mjs'

const shortened = (figure) => Number(figure.toPrecision(Math.abs(figure) >= 1000 ? 5 : 3))

/** Describes a target. */
function demand({ least, most, to, toCell, over, metric }) {
  const against = { peers: 'the best peer' }[to] ?? to
  if (least === undefined && most === undefined) return `reported, against ${against}`
  const bound = least === undefined ? `at most ${shortened(most)}` : `at least ${shortened(least)}`
  if (to) return `${bound}× ${against}`
  if (toCell) return `${bound}× what it is with ${toCell}`
  return `${bound} ${METRICS[metric].unit}${over ? ` more than ${over}` : ''}`
}

const shownFigure = ({ figure, target: { to, toCell } }) =>
  figure === undefined ? '' : `${shortened(figure)}${to || toCell ? '×' : ''}`

const WORDS = { true: 'met', false: '**MISSED**', undefined: 'not measured' }

/** Reports whether a target has a bound, rather than only reporting a figure. */
export const isBound = ({ least, most }) => least !== undefined || most !== undefined

/** Renders verdicts as a Markdown table. */
export function targetsTable(verdicts) {
  const lines = verdicts.map((verdict) => {
    const { target, group, cell, met } = verdict
    return `| ${group} | ${cell} | ${target.title} | ${demand(target)} | ${shownFigure(verdict)} | ${met && !isBound(target) ? '' : WORDS[met]} |`
  })
  return ['| group | cell | what | target | measured | |', '|---|---|---|---|--:|---|', ...lines].join('\n')
}
