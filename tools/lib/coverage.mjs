import { Session } from 'node:inspector/promises'

/**
 * Returns the functions below a folder that run while `work` runs, as `{ file, name, at, count }`. A function is listed once, however
 * often it is called. Module bodies and the class field initializers that the engine generates do not count.
 */
export async function functionsThatRun(folderUrl, work) {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  await session.post('Profiler.takePreciseCoverage')
  await work()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  return result
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
