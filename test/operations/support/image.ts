/** Builds deploy/docker/Dockerfile with buildah, without a container registry: the base image is made of the Node that runs the tests. */
import { execFileSync, type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

export const BUILDAH = '/usr/bin/buildah'
const BUSYBOX = '/usr/bin/busybox'
const PACKAGE = fileURLToPath(new URL('../../../packages/portcall/', import.meta.url))
const CERTIFICATES = process.env.NODE_EXTRA_CA_CERTS ?? '/etc/ssl/certs/ca-certificates.crt'
const BUILD_TIMEOUT_MS = 500_000

/** True if this machine can build images: as root, with Debian's buildah and a shell without libraries. */
export const canBuildImages: boolean = process.getuid?.() === 0 && existsSync(BUILDAH) && existsSync(BUSYBOX)

/** Runs buildah with storage of its own. */
export type Buildah = (...args: readonly string[]) => string

/** Creates the storage in a folder. */
export function createBuildah(folder: string): { readonly options: readonly string[]; readonly run: Buildah } {
  const options = ['--root', join(folder, 'images'), '--runroot', join(folder, 'run'), '--storage-driver', 'vfs']
  const run: Buildah = (...args) => {
    const result: SpawnSyncReturns<string> = spawnSync(BUILDAH, [...options, ...args], {
      encoding: 'utf8',
      timeout: BUILD_TIMEOUT_MS,
    })
    if (result.status !== 0) throw new Error(`buildah ${args[0]}: ${result.stderr.slice(-2000)}`)
    return result.stdout.trim()
  }
  return { options, run }
}

/** Creates an image with Node, npm and a shell, under the name of the base image. */
export function createBaseImage(folder: string, name: string, buildah: Buildah): void {
  const root = join(folder, 'root')
  const libraries = execFileSync('ldd', [process.execPath], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)
  const npm = dirname(
    dirname(
      execFileSync('readlink', ['-f', execFileSync('which', ['npm'], { encoding: 'utf8' }).trim()], { encoding: 'utf8' }).trim(),
    ),
  )
  for (const [, library = ''] of libraries) {
    mkdirSync(join(root, dirname(library)), { recursive: true })
    copyFileSync(library, join(root, library))
  }
  for (const path of ['bin', 'usr/local/bin', 'usr/local/lib/node_modules', 'usr/bin', 'etc', 'tmp', 'root'])
    mkdirSync(join(root, path), { recursive: true })
  copyFileSync(process.execPath, join(root, 'usr/local/bin/node'))
  copyFileSync(BUSYBOX, join(root, 'bin/sh'))
  symlinkSync('/bin/sh', join(root, 'bin/env'))
  symlinkSync('/bin/env', join(root, 'usr/bin/env'))
  cpSync(npm, join(root, 'usr/local/lib/node_modules/npm'), { recursive: true })
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'))
  copyFileSync(CERTIFICATES, join(root, 'etc/certificates.pem'))
  writeFileSync(join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\nnode:x:1000:1000::/home/node:/bin/sh\n')
  writeFileSync(join(root, 'etc/group'), 'root:x:0:\nnode:x:1000:\n')
  const container = buildah('from', 'scratch')
  buildah('copy', container, root, '/')
  buildah('config', '--env', 'PATH=/usr/local/bin:/usr/bin:/bin', '--env', 'NODE_EXTRA_CA_CERTS=/etc/certificates.pem', container)
  buildah('commit', container, name)
  buildah('rm', container)
}

/** Packs portcall and serves the tarball to the build. Returns its URL. */
export async function servePackage(folder: string): Promise<string> {
  const name = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: PACKAGE, encoding: 'utf8' }).trim()
  const server = createServer((_request, response) => response.end(readFileSync(join(folder, name)))).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/portcall.tgz`
}

/** Runs a command without blocking this process, which serves the package. @throws Error with the end of its output if it fails. */
export async function runCommand(command: string, args: readonly string[], cwd: string): Promise<void> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${output.slice(-2000)}`)
}
