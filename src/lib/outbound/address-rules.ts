/** Which addresses messages may be sent to: public ones only, so that a receiver cannot make us call our own network. */
import { BlockList, isIP, isIPv6 } from 'node:net'

/** The special-purpose registries of IANA (RFC 6890), and multicast. */
const SPECIAL_IPV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** Within 2000::/3, the only part of IPv6 that is assigned for the public. */
const SPECIAL_IPV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']

function blockList(networks: readonly string[], type: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const network of networks) {
    const [address = '', bits] = network.split('/')
    list.addSubnet(address, Number(bits), type)
  }
  return list
}

const SPECIAL_4 = blockList(SPECIAL_IPV4, 'ipv4')
const SPECIAL_6 = blockList(SPECIAL_IPV6, 'ipv6')
const GLOBAL_6 = blockList(['2000::/3'], 'ipv6')
const LOOPBACK_4 = blockList(['127.0.0.0/8'], 'ipv4')

/** An IPv4 address inside an IPv6 one (`::ffff:10.0.0.1`) is not public either: it would reach the IPv4 host. */
export function isPublicAddress(address: string): boolean {
  if (isIPv6(address)) return GLOBAL_6.check(address, 'ipv6') && !SPECIAL_6.check(address, 'ipv6')
  return isIP(address) === 4 && !SPECIAL_4.check(address, 'ipv4')
}

export const isLoopbackAddress = (address: string): boolean =>
  isIPv6(address) ? address === '::1' : isIP(address) === 4 && LOOPBACK_4.check(address, 'ipv4')

/** Of the URL of a receiver, before its name is resolved. Returns what is wrong with it. */
export function receiverProblem(text: string, mayBeLocal: boolean): string | undefined {
  if (!URL.canParse(text)) return 'must be a URL'
  const { protocol, username, password, hash, hostname } = new URL(text)
  if (username !== '' || password !== '') return 'must not contain a user name or password'
  if (hash !== '') return 'must not contain a fragment'
  const host = hostname.replaceAll(/^\[|\]$/g, '')
  const isLocal = host === 'localhost' || isLoopbackAddress(host)
  if (protocol !== 'https:' && !(protocol === 'http:' && isLocal && mayBeLocal))
    return mayBeLocal ? 'must be https, or http to this machine' : 'must be https'
  if (isIP(host) !== 0 && !isPublicAddress(host) && !(isLocal && mayBeLocal)) return 'must have a public address'
  return undefined
}
