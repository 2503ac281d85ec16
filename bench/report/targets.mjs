import { METRICS } from './metrics.mjs'

const shortened = (figure) => Number(figure.toPrecision(Math.abs(figure) >= 1000 ? 5 : 3))

/** What a target asks for, in words. */
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

/** Whether a target asks for something, and does not only want a figure reported. */
export const isBound = ({ least, most }) => least !== undefined || most !== undefined

/** Verdicts as a table in Markdown. */
export function targetsTable(verdicts) {
  const lines = verdicts.map((verdict) => {
    const { target, group, cell, met } = verdict
    return `| ${group} | ${cell} | ${target.title} | ${demand(target)} | ${shownFigure(verdict)} | ${met && !isBound(target) ? '' : WORDS[met]} |`
  })
  return ['| group | cell | what | target | measured | |', '|---|---|---|---|--:|---|', ...lines].join('\n')
}
