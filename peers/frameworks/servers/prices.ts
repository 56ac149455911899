/** A price list that changes after every look: what a person agreed to has to be kept elsewhere. */
export class PriceList {
  #centsPerLitre = 900;

  centsFor(litres: number): number {
    this.#centsPerLitre += 100;
    return litres * this.#centsPerLitre;
  }
}
