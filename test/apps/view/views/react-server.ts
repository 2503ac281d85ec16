import * as hooks from 'portcall/apps/react'
import { createElement, useState } from 'react'
import { renderToString } from 'react-dom/server.browser'
import { createView } from './hooks-view.ts'

export const html: string = renderToString(createElement(createView(hooks, { createElement, useState })))
