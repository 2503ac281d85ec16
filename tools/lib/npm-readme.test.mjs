import { expect, test } from 'vitest'
import { forNpm, unresolvedOnNpm } from './npm-readme.mjs'

const PAGES = 'https://github.com/portcall/portcall'
const RAW = 'https://raw.githubusercontent.com/portcall/portcall/HEAD'

test.each([
  ['[Tools](docs/README.md#portcall)', `[Tools](${PAGES}/blob/HEAD/docs/README.md#portcall)`],
  ['[`docs`](docs)', `[\`docs\`](${PAGES}/tree/HEAD/docs)`],
  ['![Chart](bench/results/chart.svg)', `![Chart](${RAW}/bench/results/chart.svg)`],
  ['[![Badge](https://example.com/a.svg)](LICENSE)', `[![Badge](https://example.com/a.svg)](${PAGES}/blob/HEAD/LICENSE)`],
  ['<img src="a.png"> <a href="LICENSE">', `<img src="${RAW}/a.png"> <a href="${PAGES}/blob/HEAD/LICENSE">`],
  ['`[code](docs)`', '`[code](docs)`'],
  ['```md\n[code](docs)\n```', '```md\n[code](docs)\n```'],
  ['[here](#here) [there](https://example.com)', '[here](#here) [there](https://example.com)'],
])('%s', (text, expected) => {
  expect(forNpm(text)).toBe(expected)
})

test('targets that do not resolve are found', () => {
  expect(unresolvedOnNpm('[a](LICENSE)')).toEqual(['LICENSE is relative'])
  expect(unresolvedOnNpm(forNpm('[a](LICENSE) [b](docs) ![c](bench/results/chart.svg)'))).toEqual([])
  expect(unresolvedOnNpm(forNpm('[a](no.md)'))).toEqual([`${PAGES}/blob/HEAD/no.md does not exist`])
  expect(unresolvedOnNpm(forNpm('[a](CONTRIBUTING.md#no)'))).toEqual([
    `${PAGES}/blob/HEAD/CONTRIBUTING.md#no has no such heading`,
  ])
})
