/** Returns the messages of a body: one JSON message, or those of an event stream. */
export function messagesOf(body) {
  if (body.startsWith('{')) return [JSON.parse(body)]
  const data = body.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return data.filter((line) => line.length > 'data: '.length).map((line) => JSON.parse(line.slice('data:'.length)))
}

const textOf = ({ content }) => content?.[0]?.text

/** Checks of a result by name; `id` is the id of the request. */
const CHECKS = {
  any: () => true,
  sum: (result, id) => (result.structuredContent ?? JSON.parse(textOf(result))).sum === id + 2,
  length: (result, _id, { bytes }) => textOf(result)?.length === bytes,
  text: (result, _id, { text }) => textOf(result)?.includes(text),
  tools: (result, _id, { least, most }) => result.tools.length >= least && result.tools.length <= most,
}

/** Returns what is wrong with a response, or undefined. `check` names one of CHECKS and its arguments. */
export function faultOf(messages, id, check) {
  const answer = messages.find((message) => message.id === id)
  if (!answer) return `no answer to ${id}`
  if (answer.error) return `error ${JSON.stringify(answer.error)}`
  if (answer.result.isError) return `the tool failed: ${textOf(answer.result)}`
  const seen = messages.filter(({ method }) => method === 'notifications/progress').length
  if (check.notifications !== undefined && seen !== check.notifications) return `${seen} notifications`
  return CHECKS[check.name](answer.result, id, check)
    ? undefined
    : `not the right answer: ${JSON.stringify(answer).slice(0, 300)}`
}
