import { describe, expect, it } from 'vitest'
import { compileSchema } from './compile.ts'

describe('names that every object inherits', () => {
  it.each(['toString', 'valueOf', 'hasOwnProperty', 'constructor', '__defineGetter__', 'isPrototypeOf'])(
    'X11 %s is an ordinary property',
    async (name) => {
      const optional = compileSchema({ type: 'object', properties: { [name]: { type: 'string' } } }, 'input')
      expect(await optional.parse({})).toEqual({ value: {} })
      expect(await optional.parse({ [name]: 'x' })).toEqual({ value: { [name]: 'x' } })
      expect(await optional.parse({ [name]: 1 })).toHaveProperty('issues')
      const required = compileSchema(
        { type: 'object', properties: { deep: { type: 'object', required: [name] } }, required: ['deep'] },
        'input',
      )
      expect(await required.parse({ deep: {} })).toHaveProperty('issues')
      expect(await required.parse({ deep: { [name]: 1 } })).toEqual({ value: { deep: { [name]: 1 } } })
    },
  )
})
