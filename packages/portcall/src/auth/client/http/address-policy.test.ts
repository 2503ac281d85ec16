import { BlockList } from 'node:net'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { classifyAddress, classifyHost } from './address-policy.ts'

const hostOf = (text: string) => new URL(`https://${text}/`).hostname

describe('classifyAddress', () => {
  const SPECIAL: readonly (readonly [address: string, scope: string])[] = [
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['::ffff:127.0.0.1', 'loopback'],
    ['0.0.0.0', 'private'],
    ['::', 'private'],
    ['10.0.0.5', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['169.254.169.254', 'private'],
    ['100.64.0.1', 'private'],
    ['100.100.100.200', 'private'],
    ['192.0.0.192', 'private'],
    ['168.63.129.16', 'private'],
    ['198.18.0.1', 'private'],
    ['203.0.113.9', 'private'],
    ['224.0.0.1', 'private'],
    ['240.0.0.1', 'private'],
    ['255.255.255.255', 'private'],
    ['fd00:ec2::254', 'private'],
    ['fe80::1', 'private'],
    ['fe80::1%eth0', 'private'],
    ['fec0::1', 'private'],
    ['ff02::1', 'private'],
    ['::7f00:1', 'private'],
    ['::ffff:169.254.169.254', 'private'],
    ['::ffff:0:a9fe:a9fe', 'private'],
    ['64:ff9b::a9fe:a9fe', 'private'],
    ['64:ff9b:1::a9fe:a9fe', 'private'],
    ['2002:a9fe:a9fe::', 'private'],
    ['2001::1', 'private'],
    ['2001:db8::1', 'private'],
    ['3fff::1', 'private'],
    ['5f00::1', 'private'],
    ['4000::1', 'private'],
    ['8.8.8.8', 'public'],
    ['172.32.0.1', 'public'],
    ['100.128.0.1', 'public'],
    ['2606:4700::1111', 'public'],
    ['::ffff:8.8.8.8', 'public'],
    ['64:ff9b::808:808', 'public'],
    ['2002:808:808::1', 'public'],
  ]

  test.each(SPECIAL)('X03 %s is %s', (address, scope) => expect(classifyAddress(address)).toBe(scope))

  test('returns undefined for names and other text', () => {
    for (const name of ['example.com', 'localhost', '', 'fe80', '::g', '1.2.3.4.5']) expect(classifyAddress(name)).toBeUndefined()
  })

  /** The special-purpose ranges once more, checked by another library. */
  const reserved = new BlockList()
  for (const [prefix, bits] of [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ] as const)
    reserved.addSubnet(prefix, bits)

  const byte = fc.integer({ min: 0, max: 255 })
  const near = fc.constantFrom(0, 10, 100, 127, 169, 172, 192, 198, 203, 224, 255)
  const second = fc.oneof(byte, fc.constantFrom(0, 16, 31, 64, 127, 168, 254, 18, 19, 51))
  const ipv4 = fc.tuple(fc.oneof(near, byte), second, byte, byte).map((bytes) => bytes.join('.'))
  const hex = (address: string) => {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  }

  test('X03 no reserved IPv4 address is public, in any notation', () => {
    fc.assert(
      fc.property(ipv4, (address) => {
        const number = address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0)
        const octal = address.split('.').map((part) => `0${Number(part).toString(8)}`)
        const spellings = [address, String(number), `0x${number.toString(16)}`, octal.join('.')].map(hostOf)
        const embedded = [`::ffff:${address}`, `64:ff9b::${address}`, `2002:${hex(address)}::`, `::ffff:0:${hex(address)}`]
        const scopes = [...spellings, ...embedded.map((text) => hostOf(`[${text}]`)), ...embedded].map(classifyAddress)
        expect(new Set(scopes).size).toBe(1)
        if (reserved.check(address)) expect(scopes[0]).not.toBe('public')
      }),
      { numRuns: 2000 },
    )
  })

  test('X03 an IPv6 address outside 2000::/3 is public only if it embeds a public IPv4 address', () => {
    const group = fc.integer({ min: 0, max: 0xffff }).map((value) => value.toString(16))
    const first = fc.integer({ min: 0, max: 0xffff }).filter((value) => value >> 13 !== 1)
    fc.assert(
      fc.property(first, fc.array(group, { minLength: 7, maxLength: 7 }), (head, tail) => {
        const address = [head.toString(16), ...tail].join(':')
        if (/^(0:0:0:0:ffff:|0:0:0:0:0:ffff|64:ff9b:0:0:0:0:)/.test(address)) return
        expect(classifyAddress(address)).not.toBe('public')
      }),
      { numRuns: 2000 },
    )
  })
})

describe('classifyHost', () => {
  test.each([
    ['localhost', 'loopback'],
    ['LOCALHOST.', 'loopback'],
    ['app.localhost', 'loopback'],
    ['127.0.0.1.', 'loopback'],
    ['[::1]', 'loopback'],
    ['[::ffff:a00:5]', 'private'],
    ['metadata', 'private'],
    ['metadata.google.internal', 'private'],
    ['printer.local', 'private'],
    ['nas.home.arpa', 'private'],
    ['example.com', 'public'],
    ['localhost.example.com', 'public'],
    ['internal.example.com', 'public'],
  ])('X03 %s: %s', (host, scope) => expect(classifyHost(host)).toBe(scope))
})
