; Numbered tiles slide into the one empty cell of a board; small STRIPS with typing.
(define (domain puzzle)
  (:requirements :strips :typing)

  (:types tile cell)

  (:predicates
    (tile-at ?t - tile ?c - cell)
    (empty ?c - cell)
    (adjacent ?c1 ?c2 - cell))

  (:action slide
    :parameters (?t - tile ?from ?to - cell)
    :precondition (and (tile-at ?t ?from) (empty ?to) (adjacent ?from ?to))
    :effect (and (tile-at ?t ?to) (empty ?from)
                 (not (tile-at ?t ?from)) (not (empty ?to)))))
