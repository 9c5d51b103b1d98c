/** The users of the demo, by username. */
export const people = {
  mira: { name: 'Mira Okafor', bio: 'Keeps the tool library running.', location: 'Lisbon' },
  jonas: { name: 'Jonas Lind', bio: 'Bread on Fridays.', location: 'Malmö' },
  ayumi: { name: 'Ayumi', bio: 'Draws the newsletter.', location: 'Osaka' },
  tomasz: { name: 'Tomasz W.', bio: 'Bikes, mostly broken ones.', location: 'Gdańsk' },
  priya: { name: 'Priya', bio: 'Nights at the observatory.', location: 'Pune' },
  leo: { name: 'Leo Marchetti', bio: '', location: 'Turin' },
  nadia: { name: 'Nadia', bio: 'New here!', location: '' },
  sam: { name: 'Sam', bio: 'Reads everything, says little.', location: 'Cork' },
} as const
export type Username = keyof typeof people

/** The author and text of a message; `@name` is a mention. */
type Line = readonly [Username, string]
type Room = { name: string; description?: string; emoji?: string; lines: readonly Line[] }
type House = {
  name: string
  description: string
  owner: Username
  members: readonly Username[]
  roles: readonly { name: string; color: string; members: readonly Username[]; moderates?: boolean }[]
  /** The first one is there with the house. */
  rooms: readonly Room[]
}

export const houses: readonly House[] = [
  {
    name: 'The Tool Library',
    description: 'Borrow a drill, bring it back charged.',
    owner: 'mira',
    members: ['jonas', 'ayumi', 'tomasz', 'leo', 'nadia', 'sam'],
    roles: [
      { name: 'Keepers', color: '#2e8b57', members: ['tomasz', 'ayumi'], moderates: true },
      { name: 'Borrowers', color: '#4682b4', members: ['jonas', 'leo', 'nadia'] },
    ],
    rooms: [
      {
        name: 'general',
        lines: [
          ['mira', 'Good morning! The shed is open from ten today.'],
          ['jonas', 'Great, I still have the sander. Back by noon.'],
          ['mira', 'No hurry, nobody has asked for it.'],
          ['nadia', 'Hi all, I moved in last week. How does borrowing work?'],
          ['tomasz', 'Welcome @nadia! Write in the lending room what you need and when, that is all.'],
          ['ayumi', 'And come to the repair evening on Thursday, it is the best way to meet people.'],
          ['nadia', 'I will, thank you @ayumi and @tomasz'],
          ['leo', 'Is there cake again?'],
          ['jonas', 'There is always cake.'],
        ],
      },
      {
        name: 'lending',
        description: 'What you need, from when to when',
        emoji: 'wrench',
        lines: [
          ['leo', 'Ladder, Saturday and Sunday?'],
          ['tomasz', 'It is yours. @leo please mind the left hinge.'],
          ['nadia', 'A drill for one shelf, any evening this week'],
          ['mira', '@nadia tonight? I am at the shed until eight.'],
          ['nadia', 'Perfect, see you at seven'],
          ['jonas', 'Sander is back on its hook.'],
        ],
      },
      {
        name: 'repairs',
        description: 'Broken things and brave attempts',
        emoji: 'gear',
        lines: [
          ['tomasz', 'The old lathe runs again. It was the belt after all.'],
          ['ayumi', 'Pictures, please, for the newsletter!'],
          ['tomasz', 'Tomorrow, it is covered in grease and so am I.'],
          ['sam', 'Well done.'],
        ],
      },
    ],
  },
  {
    name: 'Night Sky Club',
    description: 'Clear nights, warm tea.',
    owner: 'priya',
    members: ['mira', 'sam', 'ayumi'],
    roles: [{ name: 'Observers', color: '#6a5acd', members: ['sam', 'mira'] }],
    rooms: [
      {
        name: 'general',
        lines: [
          ['priya', 'Saturn is up before midnight this week, low in the south-east.'],
          ['sam', 'Seen it. The rings are almost edge-on.'],
          ['ayumi', 'Could one draw it at the eyepiece?'],
          ['priya', '@ayumi yes! I bring the red lamp and you bring the pencils.'],
          ['mira', 'I can lend us the big tripod. @priya Friday?'],
          ['priya', 'Friday, if the clouds let us.'],
        ],
      },
      {
        name: 'sketches',
        emoji: 'art',
        lines: [
          ['ayumi', 'First try: the Moon, three days old.'],
          ['priya', 'You caught the earthshine. Lovely.'],
        ],
      },
    ],
  },
]

/** Friends; the first one asked. */
export const friendships: readonly (readonly [Username, Username])[] = [
  ['mira', 'jonas'],
  ['mira', 'priya'],
  ['ayumi', 'priya'],
  ['tomasz', 'leo'],
  ['sam', 'priya'],
]

/** Asked, not answered yet. */
export const requests: readonly (readonly [Username, Username])[] = [
  ['nadia', 'ayumi'],
  ['leo', 'mira'],
]

export const group = {
  name: 'Cake committee',
  owner: 'jonas',
  others: ['mira', 'leo'],
  lines: [
    ['jonas', 'Thursday: plum or apple?'],
    ['leo', 'Plum. Always plum.'],
    ['mira', 'Apple travels better. @leo you may have two slices.'],
  ],
} as const satisfies { name: string; owner: Username; others: readonly Username[]; lines: readonly Line[] }

export const pair = {
  between: ['mira', 'priya'],
  lines: [
    ['mira', 'Does the tripod fit into your car?'],
    ['priya', 'If the back seat stays at home, yes :)'],
  ],
} as const satisfies { between: readonly [Username, Username]; lines: readonly Line[] }
