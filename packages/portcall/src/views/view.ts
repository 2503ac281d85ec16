import type { TextToolView, ToolView } from '../server/tool-view.ts'
import { checkViewOptions, type ViewOptions } from './options.ts'
import { createPageSource } from './page.ts'
import { fileOfCaller } from './platform.ts'
import { servedViewsOf, type ViewDefinition } from './served-views.ts'
import type { ViewSource } from './source.ts'

/**
 * Creates a view: a page that hosts show with the results of a tool. Several tools, of several servers, can use it.
 *
 * @throws ViewError when the file is missing; TypeError for wrong options.
 * @example
 * server.tool('draw', { input, output, view: view('./chart.html') }, draw)
 */
export function view(
  source: ViewSource,
  options: ViewOptions & {
    /** The view reads the text of results, so that its tool needs no output schema. */
    readonly text: true
  },
): TextToolView
export function view(source: ViewSource, options?: ViewOptions): ToolView
export function view(source: ViewSource, options: ViewOptions = {}): ToolView {
  const where = `view(${typeof source === 'string' ? JSON.stringify(source) : '…'})`
  checkViewOptions(where, options)
  const from = options.from ?? (typeof source === 'string' ? fileOfCaller(view) : undefined)
  const bound = bindable({ page: createPageSource(source, from), options })
  return options.text ? ({ text: true, ...bound } as TextToolView) : bound
}

/** Returns a view that tools can have. */
export const bindable = (definition: ViewDefinition): ToolView => ({
  '~bind': (tool, host) => servedViewsOf(host).bind(definition, tool),
})
