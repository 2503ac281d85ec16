import * as hooks from 'portcall/apps/preact'
import { createElement } from 'preact'
import { useState } from 'preact/hooks'
import { renderToString } from 'preact-render-to-string'
import { createView } from './hooks-view.ts'

export const html: string = renderToString(createElement(createView(hooks, { createElement, useState }), null))
