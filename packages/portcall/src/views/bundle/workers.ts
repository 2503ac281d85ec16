import { ViewError } from '../errors.ts'

/** The error of a view whose script starts a worker from a file. */
export function workerFile(view: string, worker: string): ViewError {
  return new ViewError(
    'VIEW_BUILD_FAILED',
    `The view ${view} starts the worker ${worker} from a file, and a view is one file. With Vite, import the worker as a part of the script: import Work from './work.js?worker&inline', then new Work(). Hosts whose policy has no worker-src blob: refuse workers: then run the code in the page`,
  )
}

const WORKER = /\bnew\s{1,20}(?:Shared)?Worker\(\s{0,100}new\s{1,20}URL\(\s{0,100}["'`]([^"'`\r\n]{1,1000})["'`]/

/** Returns the file of the worker that code starts. */
export const workerIn = (code: string): string | undefined => WORKER.exec(code)?.[1]
