; A clerk lends and shelves books until closing time; forall and exists conditions.
(define (domain library)
  (:requirements :strips :typing :negative-preconditions
                 :existential-preconditions :universal-preconditions)

  (:types book shelf reader clerk)

  (:predicates
    (at-desk ?c - clerk)
    (on-shelf ?b - book ?s - shelf)
    (belongs ?b - book ?s - shelf)
    (on-cart ?b - book)
    (lent ?b - book ?r - reader)
    (late ?b - book ?r - reader)
    (poetry ?b - book)
    (locked))

  (:action go-to-desk
    :parameters (?c - clerk)
    :precondition (not (at-desk ?c))
    :effect (at-desk ?c))

  (:action leave-desk
    :parameters (?c - clerk)
    :precondition (at-desk ?c)
    :effect (not (at-desk ?c)))

  ; some clerk is at the desk
  (:action hand-back
    :parameters (?b - book ?r - reader)
    :precondition (and (not (locked)) (lent ?b ?r)
                       (exists (?c - clerk) (at-desk ?c)))
    :effect (and (on-cart ?b) (not (lent ?b ?r)) (not (late ?b ?r))))

  ; some clerk is at the desk, and the reader has no late book
  (:action lend
    :parameters (?b - book ?s - shelf ?r - reader)
    :precondition (and (not (locked)) (on-shelf ?b ?s)
                       (exists (?c - clerk) (at-desk ?c))
                       (forall (?x - book) (not (late ?x ?r))))
    :effect (and (lent ?b ?r) (not (on-shelf ?b ?s))))

  ; a clerk who is away from the desk shelves books from the cart
  (:action shelve
    :parameters (?c - clerk ?b - book ?s - shelf)
    :precondition (and (not (at-desk ?c)) (on-cart ?b) (belongs ?b ?s))
    :effect (and (on-shelf ?b ?s) (not (on-cart ?b))))

  ; the cart is empty and nobody is at the desk
  (:action lock-up
    :parameters ()
    :precondition (and (not (locked))
                       (forall (?b - book) (not (on-cart ?b)))
                       (not (exists (?c - clerk) (at-desk ?c))))
    :effect (locked)))
