/**
 * Schemas of the tasks extension, transcribed from its specification, because the official schemas of the revisions do not define it.
 * https://github.com/modelcontextprotocol/ext-tasks
 */
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'

const TIME = { type: 'string', format: 'date-time' }
const TASK = {
  taskId: { type: 'string', minLength: 22 },
  statusMessage: { type: 'string' },
  createdAt: TIME,
  lastUpdatedAt: TIME,
  ttlMs: { type: ['integer', 'null'], minimum: 1 },
  pollIntervalMs: { type: 'integer', minimum: 1 },
  _meta: { type: 'object' },
}
const NEEDED = ['taskId', 'status', 'createdAt', 'lastUpdatedAt', 'ttlMs']

/** A task of one status, with exactly the members of that status. */
function task(status: object, members: object, more: object = {}): object {
  return {
    type: 'object',
    properties: { ...TASK, ...more, status, ...members },
    required: [...NEEDED, ...Object.keys(members), ...Object.keys(more)],
    additionalProperties: false,
  }
}

function details(more: object): object {
  const error = {
    type: 'object',
    properties: { code: { type: 'integer' }, message: { type: 'string' } },
    required: ['code', 'message'],
  }
  return {
    oneOf: [
      task({ enum: ['working', 'cancelled'] }, {}, more),
      task({ const: 'input_required' }, { inputRequests: { type: 'object', minProperties: 1 } }, more),
      task({ const: 'completed' }, { result: { type: 'object', required: ['content'] } }, more),
      task({ const: 'failed' }, { error }, more),
    ],
  }
}

const COMPLETE = { resultType: { const: 'complete' } }
const ACK = {
  type: 'object',
  properties: { ...COMPLETE, _meta: { type: 'object' } },
  required: ['resultType'],
  additionalProperties: false,
}

const ajv = formats.default(new Ajv2020({ strict: false }) as never) as unknown as Ajv2020
const judges = {
  created: ajv.compile(task({ enum: ['working'] }, {}, { resultType: { const: 'task' } })),
  'tasks/get': ajv.compile(details(COMPLETE)),
  'tasks/update': ajv.compile(ACK),
  'tasks/cancel': ajv.compile(ACK),
  'notifications/tasks': ajv.compile(details({})),
}

/** Reports whether these schemas cover a message. */
export function isOfTasks(name: string): name is keyof typeof judges {
  return Object.hasOwn(judges, name)
}

/** Validates a result by its method (`created` for a call that became a task), or the params of a notification. */
export function judgeTask(name: keyof typeof judges, value: unknown): string | undefined {
  const judge = judges[name]
  return judge(value) ? undefined : `not as ${name} has to be: ${ajv.errorsText(judge.errors)}\n${JSON.stringify(value, null, 2)}`
}
