// Measures Hearth, and writes docs/performance.md or docs/performance/steps.md: npm run bench [-- [--web|--steps] [--quick]]
if (process.argv.includes('--web')) await import('./bench/web/run.ts')
else if (process.argv.includes('--steps')) await import('./bench/steps/run.ts')
else await import('./bench/server.ts')
