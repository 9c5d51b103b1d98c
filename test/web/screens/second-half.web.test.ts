import { testScreens } from './look.ts'

await testScreens(1)
