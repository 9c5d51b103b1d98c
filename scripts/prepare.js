// Builds the web client into dist/web. npm runs it after an installation; plain JavaScript, for any Node that has npm.
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const root = join(import.meta.dirname, '..')
const built = join(root, 'dist/web')
const assets = join(built, 'assets')

/** The files that a build has made, by its manifest; none where there was no build. */
async function filesOfBuild() {
  const manifest = await readFile(join(built, 'build.json'), 'utf8').catch(() => '{}')
  const chunks = Object.values(JSON.parse(manifest))
  return chunks.flatMap(({ file, css = [], assets: others = [] }) => [file, ...css, ...others])
}

/** Writes the forms of a file that browsers are sent instead of it. */
async function compress(file) {
  const content = await readFile(file)
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY } }
  await writeFile(`${file}.br`, await promisify(brotliCompress)(content, options))
  await writeFile(`${file}.gz`, await promisify(gzip)(content, { level: 9 }))
}

/** Draws the icons that not every system takes as SVG. Those that systems cut to shape have no corners of their own. */
async function drawIcons() {
  const { default: sharp } = await import('sharp')
  const drawing = await readFile(join(built, 'icon.svg'), 'utf8')
  const whole = drawing.replace('rx="14"', '')
  const draw = (svg, size, name) =>
    sharp(Buffer.from(svg), { density: (72 * size) / 64 })
      .resize(size)
      .png()
      .toFile(join(built, name))
  await draw(drawing, 192, 'icon-192.png')
  await draw(drawing, 512, 'icon-512.png')
  await draw(whole, 512, 'icon-maskable-512.png')
  await draw(whole, 180, 'icon-maskable-180.png')
}

async function build(vite) {
  const { default: config } = await import('../src/web/vite.config.js')
  const before = await filesOfBuild()
  await vite.build(config)
  await drawIcons()
  const kept = new Set([...before, ...(await filesOfBuild())].map((file) => file.replace('assets/', '')))
  for (const file of await readdir(assets)) {
    if (!kept.has(file.replace(/\.(?:br|gz)$/, ''))) await rm(join(assets, file))
  }
  const names = [...(await readdir(built)), ...(await readdir(assets)).map((file) => `assets/${file}`)]
  const texts = names.filter((name) => /\.(?:js|css|html|svg|webmanifest)$/.test(name))
  await Promise.all(texts.map((name) => compress(join(built, name))))
}

const vite = await import('vite').catch(() => undefined)
if (vite) await build(vite)
else {
  console.error(
    'The web client is not built: vite, which only development needs, is not installed. npm ci && npm prune --omit=dev leaves a web client and none of those packages.',
  )
}
