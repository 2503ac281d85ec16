/** URLs of private networks in many spellings, which no server may refer to. */
export const PRIVATE_URLS: readonly string[] = [
  'http://169.254.169.254/latest/meta-data/',
  'https://169.254.169.254/',
  'http://10.0.0.5/',
  'https://10.0.0.5/',
  'https://192.168.1.1/',
  'https://172.16.0.1:8443/',
  'https://100.64.0.1/',
  'http://2852039166/',
  'https://2852039166/',
  'https://0xa9fea9fe/',
  'https://0251.0376.0251.0376/',
  'https://0xa9.254.0251.254/',
  'https://10.5/',
  'https://0.0.0.0/',
  'https://[::]/',
  'https://[::ffff:169.254.169.254]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[64:ff9b::a9fe:a9fe]/',
  'https://[2002:a9fe:a9fe::]/',
  'https://[fd00:ec2::254]/',
  'https://[fe80::1]/',
  'https://metadata.google.internal/',
  'https://intranet/',
  'https://printer.local/',
]

/** URLs that some parsers accept as private addresses, and others refuse. */
export const INVALID_URLS: readonly string[] = [
  'https://[fe80::1%25eth0]/',
  'https://[fe80::1%eth0]/',
  'https://10.0.0.5:x/',
  'https:///',
]

/** Public names that resolve to private addresses. */
export const PRIVATE_NAMES: Readonly<Record<string, readonly string[]>> = {
  'linklocal.evil.example': ['169.254.169.254'],
  'private.evil.example': ['10.0.0.5'],
  'mixed.evil.example': ['93.184.215.14', '10.0.0.5'],
  'mapped.evil.example': ['::ffff:10.0.0.5'],
  'nat64.evil.example': ['64:ff9b::a9fe:a9fe'],
}
