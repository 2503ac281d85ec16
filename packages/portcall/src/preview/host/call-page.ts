import type { PlaywrightPage } from '../browser/playwright.ts'
import type { HostPage } from '../page/host-page.ts'

/** Calls a function of the host page. */
export async function callPage<Name extends keyof HostPage>(
  page: PlaywrightPage,
  name: Name,
  ...[argument]: Parameters<HostPage[Name]>
): Promise<void> {
  await page.evaluate(`window.portcallHost.${name}(${argument === undefined ? '' : JSON.stringify(argument)})`)
}
