/** Compares pictures in the browser, which can read them. */
import { toBase64 } from '../../../../util/src/base64.ts'
import type { PlaywrightBrowser } from '../browser/playwright.ts'

/** The difference between two pictures. */
export interface PictureDifference {
  /** The share of the pixels that differ visibly: 0 to 1. 1 if the sizes differ. */
  readonly share: number
  /** The reason, in a few words. */
  readonly reason: string
}

/** Differences of one color that nobody sees: browsers round. */
const TOLERANCE = 8

const COMPARE = `(async (one, other) => {
  const load = async (data) => {
    const image = new Image()
    image.src = 'data:image/png;base64,' + data
    await image.decode()
    const canvas = new OffscreenCanvas(image.width, image.height)
    const context = canvas.getContext('2d')
    context.drawImage(image, 0, 0)
    return context.getImageData(0, 0, image.width, image.height)
  }
  const [a, b] = [await load(one), await load(other)]
  if (a.width !== b.width || a.height !== b.height)
    return { share: 1, reason: a.width + ' × ' + a.height + ' px instead of ' + b.width + ' × ' + b.height }
  let count = 0
  for (let at = 0; at < a.data.length; at += 4)
    if ([0, 1, 2, 3].some((part) => Math.abs(a.data[at + part] - b.data[at + part]) > ${TOLERANCE})) count += 1
  const share = count / (a.width * a.height)
  return { share, reason: (share * 100).toFixed(2) + ' % of the pixels differ' }
})`

/** Compares a picture with the expected one. */
export async function comparePictures(
  browser: PlaywrightBrowser,
  picture: Uint8Array,
  expected: Uint8Array,
): Promise<PictureDifference> {
  const context = await browser.newContext({})
  try {
    const page = await context.newPage()
    return await page.evaluate<PictureDifference>(
      `${COMPARE}(${JSON.stringify(toBase64(picture))}, ${JSON.stringify(toBase64(expected))})`,
    )
  } finally {
    await context.close()
  }
}
