import type { FC } from 'react'
import { expectTypeOf, test } from 'vitest'
import * as z from 'zod'
import type { AppTools } from '../../protocol/apps.ts'
import { createServer } from '../../server/server.ts'
import type { AppResult, HostContext, Json } from '../view/types.ts'
import * as preact from './preact.ts'
import * as react from './react.ts'

const server = createServer({ name: 'a', version: '1' }).tool(
  'draw',
  { input: z.object({ year: z.number() }), output: z.object({ bars: z.array(z.number()) }) },
  ({ year }) => ({ bars: [year] }),
)
type Tools = AppTools<typeof server>

test('hooks have the types of the tools of the server, with React and Preact', () => {
  const View: FC = () => {
    const { app, error } = react.useApp<Tools>({ name: 'view', version: '1' })
    expectTypeOf(error).toEqualTypeOf<Error | undefined>()
    expectTypeOf(react.useToolInput(app)).toEqualTypeOf<{ year: number } | undefined>()
    expectTypeOf(react.usePartialToolInput(app)).toEqualTypeOf<Json | undefined>()
    expectTypeOf(react.useToolResult(app)).toEqualTypeOf<AppResult<{ bars: number[] }> | undefined>()
    expectTypeOf(react.useToolCancelled(app)).toEqualTypeOf<{ reason?: string } | undefined>()
    expectTypeOf(react.useHostContext(app)).toEqualTypeOf<HostContext>()
    if (app) {
      void app.call('draw', { year: 2026 })
      // @ts-expect-error the server has no such tool
      void app.call('paint', {})
      // @ts-expect-error the year is a number
      void app.call('draw', { year: '2026' })
    }
    return null
  }
  expectTypeOf(View).toBeFunction()
  expectTypeOf(preact.useApp<Tools>).toEqualTypeOf(react.useApp<Tools>)
})

test('an app that nobody typed has tools of any name', () => {
  const View: FC = () => {
    const { app } = preact.useApp({ name: 'view', version: '1' })
    expectTypeOf(preact.useToolResult(app)?.structuredContent).toBeUnknown()
    return null
  }
  expectTypeOf(View).toBeFunction()
})
