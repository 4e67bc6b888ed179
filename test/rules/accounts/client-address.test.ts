import { expect, test } from 'vitest'
import { belongsTo, clientNetwork, loginNetwork } from '../../../src/rules/accounts/client-address.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::ffff:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:FFFF:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::', '2001:db8:1:2::/64'],
  ['2001:0db8:0001:0002:ffff::1', '2001:db8:1:2::/64'],
  ['2001:db8:1::5', '2001:db8:1::/64'],
  ['::1', '::/64'],
  ['::', '::/64'],
  ['fe80::1%eth0', 'fe80::/64'],
  ['64:ff9b::192.0.2.1', '64:ff9b::/64'],
  ['::c000:201', '::/64'],
  ['203.0.113.7:51234', '203.0.113.7'],
  ['[2001:db8::1]:443', '2001:db8::/64'],
  ['[2001:db8::1]', '2001:db8::/64'],
  ['[::ffff:192.0.2.1]:80', '192.0.2.1'],
])('normalizes %s to %s', (address, network) => {
  expect(clientNetwork(address)).toBe(network)
})

test.each([
  '',
  'localhost',
  '192.0.2.1.5',
  '1',
  '0x7f.1',
  '192.0.2.01',
  ':::',
  '1.2.3.4:x',
  '1.2.3.4:123456',
  '[1.2.3.4',
  '[]:1',
  'x'.repeat(10_000),
])('treats %.20s as an unknown address', (text) => {
  expect(clientNetwork(text)).toBe('unknown')
})

test('counts neighbouring networks separately', () => {
  expect(clientNetwork('2001:db8:1:2::1')).not.toBe(clientNetwork('2001:db8:1:3::1'))
})

test.each([
  ['192.0.2.77', '192.0.2.0/24'],
  ['192.0.2.77:1234', '192.0.2.0/24'],
  ['::ffff:192.0.2.77', '192.0.2.0/24'],
  ['2001:db8:1:2:3::4', '2001:db8:1::/48'],
  ['nonsense', 'unknown'],
])('finds %s in the network %s', (address, network) => {
  expect(loginNetwork(address)).toBe(network)
})

test('matches addresses with the listed ranges, ignoring ports', () => {
  const isOurs = belongsTo(['loopback', '10.0.0.0/8', '2001:db8::/32', '192.0.2.7'])
  const ours = ['127.0.0.1', '::1', '10.255.0.1', '10.0.0.1:4444', '[2001:db8::1]:443', '192.0.2.7', '::ffff:10.1.2.3']
  const others = ['11.0.0.1', '192.0.2.8', '2001:db9::1', '::2', 'nonsense', '', undefined]
  expect(ours.filter((address) => !isOurs(address))).toEqual([])
  expect(others.filter(isOurs)).toEqual([])
})
