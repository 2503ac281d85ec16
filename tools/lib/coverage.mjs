import { Session } from 'node:inspector/promises'

/**
 * The functions of files below a folder that run while `work` runs, as `{ file, name, at, count }`; every function counts once however
 * often it is called, and the body of a module does not count.
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
    .filter(({ count, isModule }) => count > 0 && !isModule)
}

function entry(file, { functionName, ranges }) {
  const [{ startOffset, count }] = ranges
  return { file, name: functionName || '(anonymous)', at: startOffset, count, isModule: functionName === '' && startOffset === 0 }
}
