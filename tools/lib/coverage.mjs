import { Session } from 'node:inspector'

/**
 * Returns the functions below a folder that run while `work` runs, as `{ file, name, at, count }`; it may end the measurement earlier, in the middle
 * of other functions, with the function that it gets. A function is listed once, however often it is called. Module bodies and the class field
 * initializers that the engine generates do not count.
 */
export async function functionsThatRun(folderUrl, work) {
  const session = new Session()
  session.connect()
  let scripts
  // The callback is called before `post` returns.
  const post = (method, params) => session.post(method, params, (error, answer) => (scripts = error ? [] : answer.result))
  const end = () => {
    end.isDone ??= !post('Profiler.takePreciseCoverage')
  }
  post('Profiler.enable')
  post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  post('Profiler.takePreciseCoverage')
  await work(end)
  end()
  const ran = scripts
  post('Profiler.stopPreciseCoverage')
  session.disconnect()
  return ran
    .filter(({ url }) => url.startsWith(folderUrl))
    .flatMap(({ url, functions }) => functions.map((one) => entry(url.slice(folderUrl.length), one)))
    .filter(({ count, isWritten }) => count > 0 && isWritten)
}

function entry(file, { functionName, ranges }) {
  const [{ startOffset, count }] = ranges
  const isModule = functionName === '' && startOffset === 0
  const isInitializer = functionName.startsWith('<')
  return { file, name: functionName || '(anonymous)', at: startOffset, count, isWritten: !isModule && !isInitializer }
}
