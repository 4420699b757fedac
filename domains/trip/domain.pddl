; A travel assistant's tool calls, from search to confirmation; subtypes and negation.
(define (domain trip)
  (:requirements :strips :typing :negative-preconditions)

  (:types
    city card offer - object
    flight hotel - offer)

  (:predicates
    (know-dates)
    (serves ?f - flight ?from ?to - city)
    (located ?h - hotel ?c - city)
    (found ?o - offer)
    (sold-out ?o - offer)
    (approved ?o - offer)
    (booked ?o - offer)
    (arrival-known ?c - city)
    (may-charge ?c - card)
    (paid ?o - offer)
    (confirmed ?f - flight ?h - hotel))

  (:action ask-dates
    :parameters ()
    :precondition (not (know-dates))
    :effect (know-dates))

  (:action search-flight
    :parameters (?f - flight ?from ?to - city)
    :precondition (and (know-dates) (serves ?f ?from ?to))
    :effect (found ?f))

  ; hotels are searched once the flight is booked and the arrival is known
  (:action search-hotel
    :parameters (?h - hotel ?c - city)
    :precondition (and (arrival-known ?c) (located ?h ?c))
    :effect (found ?h))

  ; the user says yes to an offer that was found
  (:action ask-user
    :parameters (?o - offer)
    :precondition (and (found ?o) (not (approved ?o)))
    :effect (approved ?o))

  (:action book-flight
    :parameters (?f - flight ?from ?to - city)
    :precondition (and (approved ?f) (serves ?f ?from ?to)
                       (not (sold-out ?f)) (not (booked ?f)))
    :effect (and (booked ?f) (arrival-known ?to)))

  (:action book-hotel
    :parameters (?h - hotel)
    :precondition (and (approved ?h) (not (sold-out ?h)) (not (booked ?h)))
    :effect (booked ?h))

  ; the user allows the assistant to charge a card
  (:action ask-card
    :parameters (?c - card)
    :precondition (not (may-charge ?c))
    :effect (may-charge ?c))

  (:action pay
    :parameters (?o - offer ?c - card)
    :precondition (and (booked ?o) (may-charge ?c) (not (paid ?o)))
    :effect (paid ?o))

  (:action confirm
    :parameters (?f - flight ?h - hotel)
    :precondition (and (paid ?f) (paid ?h))
    :effect (confirmed ?f ?h)))
