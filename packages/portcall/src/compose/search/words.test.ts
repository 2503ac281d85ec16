import { expect, test } from 'vitest'
import { splitWords } from './words.ts'

test.each([
  ['請求書を作成する', '請求書'],
  ['請求書を作成する', '作成'],
  ['メールを送信する', 'メール'],
  ['创建发票并发送给客户', '发票'],
  ['สร้างใบแจ้งหนี้', 'ใบแจ้งหนี้'],
  ['GitHubのイシューを一覧する', 'GitHub'],
  ['イシューを一覧する', 'イシュー'],
])('all words of a query are words of the text without spaces: %s, %s', (text, query) => {
  const words = new Set(splitWords(text))
  expect(splitWords(query).length).toBeGreaterThan(0)
  for (const word of splitWords(query)) expect(words).toContain(word)
})

test.each([
  ['Liste les factures récentes', ['liste', 'les', 'factures', 'recentes']],
  ['Показать счета', ['показать', 'счета']],
  ['getHTTPStatus2x', ['get', 'http', 'status2x']],
])('text with spaces has its words: %s', (text, words) => {
  expect(splitWords(text)).toEqual(words)
})
