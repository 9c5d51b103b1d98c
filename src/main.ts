import { enableCompileCache } from 'node:module'
import { join } from 'node:path'

// Compiled modules are kept between starts; where the folder cannot be written the start is only slower.
enableCompileCache(join(import.meta.dirname, '../node_modules/.cache/compiled'))

const { serve } = await import('./server.ts')
await serve(process.env)
