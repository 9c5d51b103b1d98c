/** What a browser gives when it subscribes; its private key is of no use here. */
export const pushSubscription = {
  endpoint: 'https://push.example.net/f3a1',
  keys: {
    p256dh: 'BLtd3FZbJ6T4wp4qxQ2ls26A7-X3ba_Q0CKCd9EnnvAr3JWqtyklXariaINpyMfNxCajSxWFQt0IvW5-ywV3Az8',
    auth: 'ZG1sP6hfoALpPuIvXqhJ3w',
  },
}
