// Chance that can be repeated: the same seed, the same troubles.
export class Chance {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  // From 0 to below 1.
  next() {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let x = this.state;
    x = Math.imul(x ^ (x >>> 15), x | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 2 ** 32;
  }

  below(n) {
    return Math.floor(this.next() * n);
  }

  between(least, most) {
    return least + this.next() * (most - least);
  }

  one(list) {
    return list[this.below(list.length)];
  }

  // One of [[weight, thing]…].
  weighed(list) {
    let point = this.next() * list.reduce((sum, [weight]) => sum + weight, 0);
    for (const [weight, thing] of list) {
      if (point < weight) return thing;
      point -= weight;
    }
    return list.at(-1)[1];
  }
}
