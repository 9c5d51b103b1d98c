// Measures Hearth and writes docs/performance.md: npm run bench [-- [--web] [--quick]]
if (process.argv.includes('--web')) await import('./bench/web/run.ts')
else await import('./bench/server.ts')
